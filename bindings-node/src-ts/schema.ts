/** The TypeScript type that a JSON Schema describes, as far as the schemas of tools go; beyond that, `unknown`. */

type Primitives = { string: string; number: number; integer: number; boolean: boolean; null: null };

/** The type of the values that fit `Schema`. */
export type FromSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: keyof Primitives }
      ? Primitives[Schema['type']]
      : Schema extends { readonly type: 'array'; readonly items: infer Item }
        ? FromSchema<Item>[]
        : Schema extends { readonly type: 'object'; readonly properties: infer Properties }
          ? ObjectOf<Properties, Schema extends { readonly required: readonly (infer Name)[] } ? Name : never>
          : unknown;

type ObjectOf<Properties, Required> = Flat<
  { [Name in keyof Properties as Name extends Required ? Name : never]: FromSchema<Properties[Name]> } & {
    [Name in keyof Properties as Name extends Required ? never : Name]?: FromSchema<Properties[Name]>;
  }
>;

type Flat<Type> = { [Name in keyof Type]: Type[Name] };

/** The native half, typed. Only hub, agent and turn talk to it. */
import addon from '../native.cjs';

export type NativeAgent = addon.NativeAgent;
export type NativeTurn = addon.NativeTurn;
export type NativeMailbox = addon.NativeMailbox;
export const { NativeAgent, NativeMailbox } = addon;

/** Version of the engine inside. */
export const version: string = addon.version();

# The lifeline of one run: outlives the host by a moment and takes its children along.
#
# Standard input carries "+ GROUP" when a command has started and "- GROUP" when all of it is dead. The host
# never closes it while it lives, so its end means that the host is gone, however it went.
#
# $1 is the run id. Every child of the run has LODGER_RUN=<run id>/<number> in its environment, this shell not.

trap '' HUP INT QUIT TERM PIPE
# A descriptor that the host let slip into its children must not be kept open here.
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-

groups=' '
while read -r sign group; do
    case $sign in
    +) groups="$groups$group " ;;
    -)
        case $groups in
        *" $group "*) groups="${groups%% "$group" *} ${groups#* "$group" }" ;;
        esac
        ;;
    esac
done

for group in $groups; do
    kill -KILL "-$group" 2>/dev/null
done

# Whatever was not registered yet, or left its group. A fork races with each pass: only three empty ones in a
# row are the end, and a process that cannot die must not hold us for ever.
empty=0
passes=0
while [ "$empty" -lt 3 ] && [ "$passes" -lt 600 ]; do
    passes=$((passes + 1))
    found=$(grep -lszF "LODGER_RUN=$1/" /proc/[0-9]*/environ)
    if [ -n "$found" ]; then
        empty=0
        for environ in $found; do
            process=${environ#/proc/}
            kill -KILL "${process%/environ}" 2>/dev/null
        done
    else
        empty=$((empty + 1))
        sleep 0.1
    fi
done

# A scripted agent: sh agent.sh <log>. It writes down that it has begun, then works in small steps in its folder.
#
# An agent whose parent was killed goes on for ten seconds, as a real one would. It then writes files that no commit may have.
log=$1
prompt=$(cat)
begun=$(grep -c "\"task\":\"$PHASEGATE_TASK\"" "$log")
printf '%s %s %s\n' "$$" "$PWD" "$(tr -d '\n' < ../workspace.json)" >> "$log"
mine=work/$PHASEGATE_TASK
mkdir -p "$mine"
echo "$$" > "$mine/first-$$"
# A server that the agent forgets to stop, in a session of its own.
if [ "$PHASEGATE_TASK" = 2a ]; then setsid sleep 60 > /dev/null 2>&1 & fi
# The first try of one subtask fails, and leaves its folder.
if [ "$PHASEGATE_TASK" = 2c ] && [ "$begun" = 0 ]; then exit 3; fi
for step in 1 2 3; do
  sleep 0.02
  echo "$step" > "$mine/steps"
done
n=0
while ! kill -0 "$PPID" 2> /dev/null; do
  n=$((n + 1))
  if [ "$n" -gt 500 ]; then exit 1; fi
  echo "$n" > "$mine/orphan-$$"
  sleep 0.02
done
case $prompt in *"help text"*) echo "$PHASEGATE_TASK" > "$mine/help" ;; esac
echo "$$" > "$mine/last-$$"
echo done

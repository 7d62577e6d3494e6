# Completion of phasegate for bash:  source <(phasegate completion bash)
_phasegate() {
  local current=$2 rest=${COMP_LINE:0:COMP_POINT} words=() word space answer first head ending i
  # Bash breaks words at = and : as well. What has no space between belongs together.
  for ((i = 0; i < COMP_CWORD; i++)); do
    space=${rest%%[![:space:]]*} word=${COMP_WORDS[i]}
    rest=${rest#"$space"} rest=${rest#"$word"}
    if [[ -n $space || i -eq 0 ]]; then words+=("$word"); else words[${#words[@]} - 1]+=$word; fi
  done
  space=${rest%%[![:space:]]*} rest=${rest#"$space"}
  if [[ -n $space ]]; then words+=("$rest"); else words[${#words[@]} - 1]+=$rest; fi
  answer=$(phasegate __complete -- "${words[@]:1}" </dev/null 2>/dev/null)
  first=${answer%%$'\n'*}
  # Only what comes after the last break is replaced.
  head=${words[${#words[@]} - 1]} head=${head%"$current"}
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    [[ -n $word ]] && COMPREPLY+=("${word#"$head"}")
  done <<<"${answer#"$first"}"
  if [[ $first != files* ]]; then
    compopt +o default 2>/dev/null
    return
  fi
  compopt -o default -o filenames 2>/dev/null
  for ending in ${first#files}; do
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -X "!*.$ending" -- "$current")
  done
  [[ $first == files ]] && return
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$current")
}
complete -o nosort -o default -F _phasegate phasegate 2>/dev/null || complete -o default -F _phasegate phasegate

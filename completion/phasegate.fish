# Completion of phasegate for fish:  phasegate completion fish | source
function __phasegate_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l lines (phasegate __complete -- $words "$current" </dev/null 2>/dev/null)
    set -l first (string split ' ' -- $lines[1])
    set -e lines[1]
    test (count $lines) -gt 0; and printf '%s\n' $lines
    test "$first[1]" = files; or return
    # The value of an option, after its name.
    set -l head (string match -r -- '^--[^=]+=' "$current")
    set -l files (__fish_complete_path (string replace -- "$head" '' "$current"))
    set -l endings (string join '|' -- $first[2..-1])
    set -l fit (string match -r -- '^[^\t]*(?:/|\.(?:'"$endings"'))(?:\t.*)?$' $files)
    test -n "$endings" -a (count $fit) -gt 0; and set files $fit
    test (count $files) -gt 0; and printf '%s\n' "$head"$files
end
complete -c phasegate -e
complete -c phasegate -f -k -a '(__phasegate_complete)'

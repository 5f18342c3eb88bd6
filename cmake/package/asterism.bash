# Completion of `asterism` in bash. Verbs, options, names and keys come from the program itself: --help, `list`
# and `schema`, which answer in some hundredths of a second.

# What the program prints, without its messages.
_asterism_ask() { "$_asterism_program" "$@" 2>/dev/null </dev/null; }

# The names in a section of the help: "Subcommands:", "Options:".
_asterism_section() { sed -n "/^$1:/,/^\$/s/^  \\(-.,\\)\\?\\([^ ]*\\).*/\\2/p" <<<"$2"; }

# The words of "One of a, b, c" in the help.
_asterism_one_of() { tr '\n' ' ' <<<"$1" | sed -n 's/.* One of \([a-z_, ]*[a-z_]\).*/\1/p' | tr -d ','; }

# The name of the value that an option takes, as the help has it; "" for a flag.
_asterism_value_of() {
  sed -n "s/^  \\(-.,\\)\\?$1 \\([A-Z[][^ ]*\\).*/\\2/p" <<<"$2" | sed '/^\(Needs\|Excludes\):$/d'
}

# The keys of a file, with the values that it may have: "node.fabric.fidelity loose contended flit". A device
# of the node in the place of NAME, also without "devices." before it. $1: kind, $2: file, $3: kind of study
_asterism_keys() {
  {
    case $1 in
      scenario | node) _asterism_ask list devices --node "$2" | sed 's/^/device: /' ;;
    esac
    echo "study: $3"
    _asterism_ask schema "$1" --text
  } | awk '
    $1 == "device:" { if ($2 != "device") type_of[$2] = $3; next }
    $1 == "study:" { study = $2; is_skipped = study != ""; next }
    study != "" && /^kind = / { is_skipped = $0 !~ "^kind = \"" study "\""; next }
    is_skipped { next }
    function values(    all, list) {
      all = text
      if (all ~ /true or false/) return " true false"
      if (all ~ /name of a file in configs\//) {
        sub(/.*name of a file in configs\//, "", all); sub(/[^a-z_].*/, "", all)
        return " @" all
      }
      if (all !~ /one of "/) return ""
      sub(/.*one of "/, "\"", all)
      while (match(all, /^"[^"]*"(, )?/)) {
        list = list " " substr(all, 2, index(substr(all, 2), "\"") - 1)
        all = substr(all, RLENGTH + 1)
      }
      return list
    }
    function flush(    before, after, device, list) {
      if (key == "") return
      list = values()
      if (!match(key, /devices\.NAME/)) print key list
      else {
        before = substr(key, 1, RSTART - 1); after = substr(key, RSTART + RLENGTH)
        for (device in type_of) if (type == "" || type_of[device] == type) {
          print before "devices." device after list
          print before device after list
        }
      }
      key = ""
    }
    /^[a-z_]+(\.[A-Za-z_0-9]+)* of the type / { flush(); type = $NF; next }
    /^[a-z_]+(\.[A-Za-z_0-9]+)*( = |    |$)/ {
      flush(); key = $1; text = $0
      if (key !~ /devices\.NAME/) type = ""
      next
    }
    /^    [^ ]/ { text = text " " substr($0, 5); next }
    { flush() }
    END { flush() }'
}

# Prints the next part of each key that begins so: "node.cores." or "node.seed=".
_asterism_key() {
  awk -v start="$1" 'index($1, start) == 1 {
    rest = substr($1, length(start) + 1); dot = index(rest, ".")
    if (dot) print start substr(rest, 1, dot); else is_leaf[$1] = 1
    seen[dot ? start substr(rest, 1, dot - 1) : ""] = 1
  }
  END { for (key in is_leaf) if (!seen[key]) print key "=" }' | sort -u
}

_asterism() {
  COMPREPLY=()
  # By blanks alone: bash also splits words at = and :, of which keys and ports consist.
  local line=${COMP_LINE:0:COMP_POINT} word cur help kind file study value i
  local -a words names=()
  read -ra words <<<"$line"
  [[ $line == *[[:blank:]] ]] && words+=("")
  local -r _asterism_program=${words[0]/#\~/$HOME}
  cur=${words[-1]}
  unset 'words[-1]'

  help=$(_asterism_ask --help) || return
  i=1
  local -a path=()
  while [[ $i -lt ${#words[@]} && $help == *$'\nSubcommands:'* ]]; do
    _asterism_section Subcommands "$help" | grep -qxF -- "${words[i]}" || return
    path+=("${words[i++]}")
    help=$(_asterism_ask "${path[@]}" --help) || return
  done
  # The arguments so far, and the option whose value this word is.
  local -a arguments=()
  value=""
  for word in "${words[@]:i}"; do
    if [[ -n $value ]]; then
      value=""
    elif [[ $word == -* ]]; then
      value=$(_asterism_value_of "$word" "$help")
    else
      arguments+=("$word")
    fi
  done

  local verb=${path[*]}
  if [[ -n $value ]]; then
    case $value in
      ELF) names=($(_asterism_ask list firmware)); compopt -o default ;;
      FILE | DIR)
        [[ ${words[-1]} == --node ]] && names=($(_asterism_ask list nodes) $(_asterism_ask list scenarios))
        [[ $value == DIR ]] && compopt -o dirnames || compopt -o default ;;
      CLASS) names=($(tr '\n' ' ' <<<"$help" | sed -n 's/.* of this class: \([a-z_, ]*[a-z_]\).*/\1/p' | tr -d ',')) ;;
      INSTANCE*) names=($(_asterism_ask list devices --node "${arguments[0]}" | awk 'NR > 1 { print $1 }')) ;;
    esac
  elif [[ $help == *$'\nSubcommands:'* ]]; then
    names=($(_asterism_section Subcommands "$help"))
    [[ $cur == -* ]] && names=($(_asterism_section Options "$help"))
  elif [[ $cur == -* ]]; then
    names=($(_asterism_section Options "$help"))
  elif [[ $help == *'[KEY=VALUE...]'* && ${#arguments[@]} -gt 0 ]]; then
    file=${arguments[0]} kind=scenario study=
    case $verb in
      study) kind=study ;;
      fit) kind= ;;
      'rtl build') kind=block ;;
      list)  # keys are those of the node that an option names
        kind=
        for ((i = 0; i < ${#words[@]}; ++i)); do [[ ${words[i]} == --node ]] && kind=node file=${words[i + 1]}; done ;;
      check)
        for i in nodes studies; do
          _asterism_ask list $i | grep -qxF -- "$file" && case $i in nodes) kind=node ;; studies) kind=study ;; esac
        done ;;
    esac
    [[ $file == campaign ]] && kind=campaign
    [[ $kind == study ]] && study=$(_asterism_ask check "$file" | sed -n '/"kind": /{s/.*"kind": "\([^"]*\)".*/\1/p;q}')
    if [[ -n $kind && $cur == *=* ]]; then
      for value in $(_asterism_keys $kind "$file" "$study" | awk -v key="${cur%%=*}" '$1 == key { $1 = ""; print }'); do
        [[ $value == @* ]] && value=$(_asterism_ask list "${value#@}")
        for i in $value; do names+=("${cur%%=*}=$i"); done
      done
    elif [[ -n $kind ]]; then
      names=($(_asterism_keys $kind "$file" "$study" | _asterism_key "$cur"))
      compopt -o nospace
    fi
  else
    case $verb in
      run | sweep) names=($(_asterism_ask list scenarios)) ;;
      study) names=($(_asterism_ask list studies)) ;;
      check) names=($(for kind in nodes scenarios studies; do _asterism_ask list $kind; done)) ;;
      list | schema) names=($(_asterism_one_of "$help")) ;;
      paper) names=($(_asterism_ask list papers | sed 's/ .*//;/^$/d')) ;;
      fit) names=($(_asterism_ask list dram) $(_asterism_ask list topologies | sed -n 's/^\([^ ]\+\).*/\1/p')) ;;
    esac
    case $verb in
      list | schema | paper) ;;
      new) compopt -o dirnames ;;
      *) compopt -o default ;;
    esac
  fi

  local before=${cur%"${cur##*[=:]}"}  # which readline has already, and keeps
  [[ $COMP_WORDBREAKS == *=* ]] || before=
  local IFS=$'\n'
  COMPREPLY=($(compgen -W "${names[*]}" -- "$cur"))
  COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
complete -F _asterism asterism

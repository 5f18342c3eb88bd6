# Completion of `asterism` in bash. Verbs, options, names and keys come from the program itself: --help,
# `list` and `schema`, which answer in some hundredths of a second. Files have any names: nothing here expands
# them, and they are quoted in the line.

# What the program prints, without its messages.
_asterism_ask() { "$_asterism_program" "$@" 2>/dev/null </dev/null; }

# Adds the lines that a command prints to `names`.
_asterism_offer() { mapfile -t -O "${#names[@]}" names < <("$@"); }

# The names in a section of the help: "Subcommands:", "Options:".
_asterism_section() { sed -n "/^$1:/,/^\$/s/^  \\(-.,\\)\\?\\([^ ][^ ]*\\).*/\\2/p" <<<"$2"; }

# The words of a list in the help, "One of a, b, c", one a line. $1: what is before it
_asterism_list() {
  tr '\n' ' ' <<<"$2" | sed -n "s/.* $1 \\([a-z_, ]*[a-z_]\\).*/\\1/p" | tr -s ', ' '\n'
}

# The name of the value that an option takes, as the help has it; "" for a flag.
_asterism_value_of() {
  local line
  while IFS= read -r line; do
    [[ $line =~ ^'  '(-.,)?([^ ]+)' '([A-Z[][^ ]*) && ${BASH_REMATCH[2]} == "$1" ]] || continue
    case ${BASH_REMATCH[3]} in Needs: | Excludes:) ;; *) echo "${BASH_REMATCH[3]}" ;; esac
  done <<<"$2"
}

# Sets `words` to the words of a line, without the quotes, `quote` to the one that is open at its end, and
# `ahead` to the part of the last word before that.
_asterism_split() {
  local line=$1 word="" c is_word="" i
  words=() quote="" ahead=""
  for ((i = 0; i < ${#line}; ++i)); do
    c=${line:i:1}
    if [[ -n $quote && $c == "$quote" ]]; then
      quote="" ahead=""
    elif [[ $quote != \' && $c == \\ ]]; then
      word+=${line:i+1:1} i=$((i + 1)) is_word=yes
    elif [[ -z $quote && $c == [\'\"] ]]; then
      quote=$c ahead=$word is_word=yes
    elif [[ -z $quote && $c == [[:blank:]] ]]; then
      [[ -n $is_word ]] && words+=("$word")
      word="" is_word=""
    else
      word+=$c is_word=yes
    fi
  done
  words+=("$word")
}

# A name as the line needs it, within the quote that is open there.
_asterism_quoted() {
  case $2 in
    "") printf '%q' "$1" ;;
    \') printf '%s' "${1//\'/\'\\\'\'}" ;;
    *) sed 's/[\\"$`]/\\&/g' <<<"$1" ;;
  esac
}

# The names of the types of devices.
_asterism_types() { _asterism_ask list device_types | awk '/^[a-z]/ { print $1 }'; }

# The devices of a node or a scenario with their types, "uart0 pl011".
_asterism_devices() {
  _asterism_ask check "$1" | awk '
    { at = index($0, "\""); word = $1; gsub(/[":]/, "", word) }
    !devices && word == "devices" { devices = at; next }
    devices && index($0, "}") == devices { exit }
    devices && at == devices + 2 { name = word }
    devices && at == devices + 4 && word == "type" { type = $2; gsub(/[",]/, "", type); print name, type }'
}

# The keys of a file, with the values that it may have: "node.fabric.fidelity loose contended flit". A device
# of the node in the place of NAME, also without "devices." before it. $1: kind, $2: file, $3: kind of study; or
# $1: "type", $2: a type of devices, whose keys these are.
_asterism_keys() {
  {
    case $1 in
      scenario | node) _asterism_devices "$2" | sed 's/^/device: /' ;;
      type) echo "device: DEVICE $2" ;;
    esac
    echo "study: $3"
    _asterism_ask schema "${1/type/node}" --text
  } | awk '
    $1 == "device:" { type_of[$2] = $3; next }
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
    END { flush() }' | if [[ $1 == type ]]; then sed -n 's/^devices\.DEVICE\.//p'; else cat; fi
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

# Prints the values of a key, those of which the names are files also by their names. $1: key
_asterism_values() {
  local value
  for value in $(awk -v key="$1" '$1 == key { $1 = ""; print }'); do
    if [[ $value == @* ]]; then _asterism_ask list "${value#@}"; else echo "$value"; fi
  done
}

_asterism() {
  COMPREPLY=()
  # By blanks alone: bash also splits words at = and :, of which keys and ports consist.
  local line=${COMP_LINE:0:COMP_POINT} word cur help kind file study value i quote ahead
  local -a words names=()
  _asterism_split "$line"
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
  # The arguments so far, the option whose value this word is, and the node and the type that options name.
  local -a arguments=()
  local option="" node="" type=""
  value=""
  for word in "${words[@]:i}"; do
    if [[ -n $value ]]; then
      case $option in --node) node=$word ;; --type) type=$word ;; esac
      value=""
    elif [[ $word == -* ]]; then
      option=$word value=$(_asterism_value_of "$word" "$help")
    else
      arguments+=("$word")
    fi
  done

  local verb=${path[*]}
  if [[ -n $value ]]; then
    case $value in
      ELF) _asterism_offer _asterism_ask list firmware; compopt -o default ;;
      FILE | DIR | NODE)
        if [[ $option == --node ]]; then
          _asterism_offer _asterism_ask list nodes
          [[ $verb == list ]] && _asterism_offer _asterism_ask list scenarios
        fi
        [[ $value == DIR ]] && compopt -o dirnames || compopt -o default ;;
      CLASS) _asterism_offer _asterism_list "of this class:" "$help" ;;
      TYPE) _asterism_offer _asterism_types ;;
      DEVICE) _asterism_offer sed 's/ .*//' < <(_asterism_devices "$node") ;;
      INSTANCE*) _asterism_offer sed 's/ .*//' < <(_asterism_devices "${arguments[0]}") ;;
    esac
  elif [[ $cur == -* ]]; then
    _asterism_offer _asterism_section Options "$help"
  elif [[ $help == *$'\nSubcommands:'* ]]; then
    _asterism_offer _asterism_section Subcommands "$help"
  elif [[ $help == *'KEY=VALUE...]'* && (${#arguments[@]} -gt 0 || -n $node$type) ]]; then
    file=${arguments[0]} kind=scenario study=
    case $verb in
      study) kind=study ;;
      fit) kind= ;;
      'rtl build') kind=block ;;
      list | 'plugin check')  # keys are those of the node, or of the type, that an option names
        file=${node:-$type} kind=${node:+node}
        kind=${kind:-${type:+type}} ;;
      check)
        for i in nodes studies; do
          _asterism_ask list $i | grep -qxF -- "$file" || continue
          case $i in nodes) kind=node ;; studies) kind=study ;; esac
        done ;;
    esac
    [[ $file == campaign ]] && kind=campaign
    [[ $kind == study ]] &&
      study=$(_asterism_ask check "$file" | sed -n '/"kind": /{s/.*"kind": "\([^"]*\)".*/\1/p;q}')
    if [[ -n $kind && $cur == *=* ]]; then
      _asterism_offer _asterism_values "${cur%%=*}" < <(_asterism_keys "$kind" "$file" "$study")
      names=("${names[@]/#/"${cur%%=*}="}")
    elif [[ -n $kind ]]; then
      _asterism_offer _asterism_key "$cur" < <(_asterism_keys "$kind" "$file" "$study")
      compopt -o nospace
    fi
  else
    case $verb in
      run | sweep) _asterism_offer _asterism_ask list scenarios ;;
      study) _asterism_offer _asterism_ask list studies ;;
      check) for kind in nodes scenarios studies; do _asterism_offer _asterism_ask list $kind; done ;;
      list | schema) _asterism_offer _asterism_list "One of" "$help" ;;
      paper) _asterism_offer sed 's/ .*//;/^$/d' < <(_asterism_ask list papers) ;;
      fit)
        _asterism_offer _asterism_ask list dram
        _asterism_offer sed -n 's/^\([^ ]\+\).*/\1/p' < <(_asterism_ask list topologies) ;;
    esac
    case $verb in
      list | schema | paper) ;;
      new | 'plugin new') compopt -o dirnames ;;
      *) compopt -o default ;;
    esac
  fi

  # What readline has already and keeps: the part before a break, or before the quote.
  local before=$ahead name
  [[ -n $quote || $COMP_WORDBREAKS != *=* ]] || before=${cur%"${cur##*[=:]}"}
  for name in "${names[@]}"; do
    [[ $name == "$cur"* ]] && COMPREPLY+=("$(_asterism_quoted "${name#"$before"}" "$quote")")
  done
}
complete -F _asterism asterism

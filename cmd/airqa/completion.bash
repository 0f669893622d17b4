_airqa() {
  local word list='' prefix='' at=airqa cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  for word in "${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$at $word" in
@commands@
      *) continue ;;
    esac
    at="$at $word"
  done
  # Bash splits --flag=value at "=", zsh does not.
  case $cur in
    --*=*) prev=${cur%%=*}; prefix=$prev=; cur=${cur#*=} ;;
    =) cur='' ;;
    *) if [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi ;;
  esac
  case "$at $prev" in
@values@
    *)
      case $cur in
        -*)
          case $at in
@flags@
          esac ;;
        *)
          case $at in
@words@
          esac ;;
      esac ;;
  esac
  COMPREPLY=($(compgen -P "$prefix" -W "$list" -- "$cur"))
}
complete -o default -o bashdefault -F _airqa airqa

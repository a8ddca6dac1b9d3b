#!/bin/bash -p
# `hookline`, of which `hook` asks the daemon, with nothing but what bash has built in: where none answers,
# a process of its own does. In: a host's payload on stdin. Out: what `hookline hook` would print.
# `-p`, and names that begin alike: what the environment says must not steer this, nor be changed by it.
set +o posix
unset "${!hl_@}"
hl_version=0.1.0
hl_folder=${BASH_SOURCE[0]%/*}
hl_run='gc.disable(); from hookline.cli import main; sys.exit(main())'

whole() { # become `hookline` itself
  if [[ -x $hl_folder/python && -x $hl_folder/hookline ]]; then
    hl_found=("$hl_folder"/../lib/python3*/site-packages/hookline)
    # A host's call does not wait until Python has found all libraries: see `late_site.py`.
    # Where there are two, one is of a Python that was here before, and may be of another release.
    [[ $1 == hook && ${#hl_found[@]} == 1 && -d ${hl_found[0]} ]] && exec "$hl_folder/python" -IS -c \
      "import gc, sys; sys.path.append(sys.argv.pop(1)); $hl_run" "${hl_found[0]%/hookline}" "$@"
    exec "$hl_folder/python" -I -c "import gc, sys; $hl_run" "$@"
  fi
  [[ -x $hl_folder/hookline ]] && exec "$hl_folder/hookline" "$@"
  exec hookline "$@"
}

alone() { # answer without the daemon, which is started meanwhile; the payload is what was read, if it was
  exec 3>&- 2>&4 4>&-
  trap - PIPE
  export HOOKLINE_CALL=${hl_name-}
  if [[ -n ${hl_payload+read} ]]; then
    printf %s "$hl_payload" | whole hook "$@"
    exit "${PIPESTATUS[1]}"
  fi
  whole hook "$@"
}

heard() { # so many bytes of the answer, in $hl_text; fails where they do not come
  hl_text=
  (($1 == 0)) && return
  if (($1 > 32768)); then
    hl_text=$(command -p head -c "$1" <&3 && printf x)
    hl_text=${hl_text%x}
  else
    IFS= read -r -t 5 -N "$1" hl_text <&3
  fi
  ((${#hl_text} == $1))
}

[[ ${1-} == hook ]] || whole "$@"
shift
exec 4>&2 2> /dev/null
[[ ${HOOKLINE_DAEMON-} == off ]] && alone "$@"
hl_place=/tmp/hookline-$UID
[[ ${XDG_RUNTIME_DIR-} == /* && -O $XDG_RUNTIME_DIR/hookline ]] && hl_place=$XDG_RUNTIME_DIR/hookline
[[ -O $hl_place && ! -L $hl_place && -O $hl_place/address ]] &&
  { IFS=' ' read -r hl_release hl_port hl_knock hl_proof hl_secret && IFS= read -r hl_programs; } \
    < "$hl_place/address" &&
  [[ $hl_release+ == "$hl_version"+* ]] || alone "$@"
# Of another installation: its Python or its hooks may be others.
hl_other=$hl_programs/hookline-client
[[ ${BASH_SOURCE[0]} -ef $hl_other || ! -e $hl_other ]] || alone "$@"
exec 3<> "/dev/tcp/127.0.0.1/$hl_port" || alone "$@"
hl_name=$$.$RANDOM$RANDOM.${EPOCHREALTIME/[.,]/}
trap '' PIPE # a daemon that dies while it is told must not take the call along
# Who took the port of one that died is told nothing: only ours knows the answer to this, and tells no other.
printf 'hookline/1 %s\n' "$hl_knock" >&3 && IFS= read -r -t 1 hl_said <&3 && [[ $hl_said == "$hl_proof" ]] ||
  alone "$@"
LC_ALL=C
if IFS= read -r -t 3600 -d '' -n 32768 hl_payload; then # more than that, or a zero, which no JSON has
  ((${#hl_payload} < 32768)) && hl_payload+='\0'
  hl_rest=$(command -p cat && printf x)
  hl_payload+=${hl_rest%x}
fi
hl_call='hookline/1 %s %s %s %s -\n'
for hl_word in "$@" . .; do hl_call+='%s\0'; done # all in one piece, which is sent at once
printf "$hl_call" "$hl_secret" "$$" "$hl_name" "$#" "$@" "$PWD" "$hl_payload" >&3 || alone "$@"
while IFS=' ' read -r -t 1 hl_code hl_out hl_err hl_terminal <&3; do
  [[ $hl_code == . ]] && continue
  [[ -n $hl_terminal ]] && heard "$hl_out" || break
  hl_answer=$hl_text
  heard "$hl_err" || break
  printf %s "$hl_answer"
  printf %s "$hl_text" >&4
  heard "$hl_terminal" && [[ -n $hl_text ]] && printf %s "$hl_text" > /dev/tty
  exit "$hl_code"
done
alone "$@"

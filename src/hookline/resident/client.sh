#!/bin/bash
# `hookline`, of which `hook` asks the resident, with nothing but what bash has built in: where none answers,
# a process of its own does. In: a host's payload on stdin. Out: what `hookline hook` would print.
version=0.1.0
own=${BASH_SOURCE[0]%/*}/hookline
[[ -x $own ]] || own=hookline
[[ ${1-} == hook ]] || exec "$own" "$@"
shift

alone() { # answer without the resident, which is started meanwhile; the payload is what was read, if it was
  exec 3>&- 2>&4 4>&-
  trap - PIPE
  export HOOKLINE_CALL=${name-}
  if [[ -n ${payload+read} ]]; then
    printf %s "$payload" | "$own" hook "$@"
    exit "${PIPESTATUS[1]}"
  fi
  exec "$own" hook "$@"
}

heard() { # so many bytes of the answer, in $text; fails where they do not come
  text=
  (($1 == 0)) && return
  if (($1 > 32768)); then
    text=$(head -c "$1" <&3 && printf x)
    text=${text%x}
  else
    IFS= read -r -t 5 -N "$1" text <&3
  fi
  ((${#text} == $1))
}

exec 4>&2 2> /dev/null
[[ ${HOOKLINE_RESIDENT-} == off ]] && alone "$@"
for place in ${XDG_RUNTIME_DIR:+"$XDG_RUNTIME_DIR/hookline"} "/tmp/hookline-$UID"; do
  [[ -O $place ]] && break
done
IFS=' ' read -r release port proof secret < "$place/address" && [[ -O $place && $release+ == "$version"+* ]] ||
  alone "$@"
exec 3<> "/dev/tcp/127.0.0.1/$port" || alone "$@"
name=$$.$RANDOM$RANDOM.${EPOCHREALTIME/[.,]/}
trap '' PIPE # a resident that dies while it is told must not take the call along
# Who took the port of one that died is told nothing: only ours knows the answer to this.
printf 'hookline/1\n' >&3 && IFS= read -r -t 1 said <&3 && [[ $said == "$proof" ]] || alone "$@"
LC_ALL=C
if IFS= read -r -d '' -n 32768 payload; then # more than that, or a zero, which no JSON has
  ((${#payload} < 32768)) && payload+='\0'
  rest=$(cat && printf x)
  payload+=${rest%x}
fi
call='hookline/1 %s %s %s %s -\n'
for word in "$@" . .; do call+='%s\0'; done # all in one piece, which is sent at once
printf "$call" "$secret" "$$" "$name" "$#" "$@" "$PWD" "$payload" >&3 || alone "$@"
while IFS=' ' read -r -t 1 code out err terminal <&3; do
  [[ $code == . ]] && continue
  [[ -n $terminal ]] && heard "$out" || break
  answer=$text
  heard "$err" || break
  printf %s "$answer"
  printf %s "$text" >&4
  heard "$terminal" && [[ -n $text ]] && printf %s "$text" > /dev/tty
  exit "$code"
done
alone "$@"

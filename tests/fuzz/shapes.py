"""Hypothesis strategies for shell lines, settings with secrets, and malformed texts."""

from hypothesis import strategies as st

from .targets import PART


def listed(text: str) -> list[str]:
    """Return the lines of *text*, with ⏎ replaced by a newline."""
    return [one.replace("⏎", "\n") for one in text.strip("\n").split("\n")]


def spaced(text: str) -> list[str]:
    return text.split()


WORDS = spaced(r"""
a rm -rf / ~ $HOME "$x" ${x:-y} $1 "$@" *.txt {a,b} {1..3} x=1 git push --force sudo env -u xargs -I{} {} find
. -exec \; + eval exec sh -c python -e ssh h cat .env echo printf %s\n tee $'\x41' $"a" 'b c' - -- > >>f <f
2>&1 <<<x &>f $((1+2)) curl -o f ./f base64 -d alias a=b trap EXIT set read local Remove-Item -Recurse iex cmd
/c del /s %a% ^ `a @(a) $_ C:\a
""")
FRAMES = listed(r"""
{0};{1}
{0} && {1}
{0} || {1}
{0} | {1}
{0} & {1}
{0}⏎{1}
! {0}
({0})
{{ {0}; }}
$({0})
`{0}`
<({0})
"$({0})" {1}
x=$({0}); $x {1}
(({0}))
if {0}; then {1}; fi
while {0}; do {1}; done
for i in {0}; do {1} $i; done
f() {{ {0}; }}; f {1}
case {0} in a|b) {1};; *) {0};; esac
[[ {0} =~ a ]] && {1}
coproc {0}
sh -c '{0}' {1}
eval "{0}"
cat <<E⏎{0}⏎E⏎{1}
bash <<-'E'⏎	{0}⏎	E⏎{1}
echo {0} | sh
{0} > f; . f
xargs -I{{}} {0} {{}} <<<{1}
find . -exec {0} \; -o -exec {1} +
trap '{0}' EXIT; {1}
alias a='{0}'; a {1}
powershell -c {{ {0} }}
cmd /c "{0} & {1}"
foreach ($i in {0}) {{ {1} }}
for %i in ({0}) do {1}
""")
OPENINGS = listed(r"""
(
$(
((
$((
{
${a:-
`
"$(
<(
[[ a
[
if a; then
case a in
f(){ a
a=(
eval '
sh -c '
sudo
<<E⏎
@(
!
$'
\
{"a":
["
<a>
@'
^
""")
CLOSINGS = [")", "))", "}", "`", '"', "]]", "]", "; fi", "esac", "'", "\nE\n", "", "\n", '"}', '"]']
NAMES = spaced("password api_key DB_PASSWORD token secret Bearer Cookie sig x name AcmeKey=acme_ session")
JOINTS = ["=", ": ", ":", " = ", '": "', "='", '="', " ", ">", "%3D", "\\u003d", ' => "']
ENDS = ["\n", "\r\n", '"', "'", ",", ";", "&", " ", "\\n", '",\n', "}", "\x1b[0m", "\u200b", "\u2028", PART]
SECRETS = listed(r"""
xK9#mQ2$vL8!
hunter2
changeme
[redacted:x]
nFAKE2YBPurU5Yq8Zt
e3b3f8a94e6b1c3005f13ec9
${X}
AKIA+AFAKE2V7KCVICMIV
gh+p_CIDNb76xxP8McqTxLZbqVCjQbEyOBnL6T0k3
https://u:pw1234@h
eyJ+hbGciOiJub25lIn0.eyJhIjoxfQ.c2lnbmVkZm9ydGVzdGluZw
-----BEGIN
-----BEGIN PRIVATE+ KEY-----
-----END PRIVATE+ KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEF
""")
VALUES = [one.replace("+", "") for one in SECRETS]
"""The secrets, joined here so that no text in this file resembles one."""
ODD = "\0\x1b\u202e\u2066\u200b\ufeff\u0130\u017f\u212a\U000f0000\U000ffffd\ud800\udcff'\"`$(){}\\\n;|&"

hostile = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=["Cc", "Cf", "Cs", "Co", "Mn", "Zl", "Zp", "Zs"]),
        st.sampled_from(ODD),
    ),
    max_size=60,
)
simple = st.lists(st.sampled_from(WORDS) | hostile.filter(str), min_size=1, max_size=6).map(" ".join)
lines = st.recursive(
    simple,
    lambda inner: st.builds(str.format, st.sampled_from(FRAMES), inner, inner),
    max_leaves=12,
)
nested = st.builds(
    lambda opened, depth, core, closed, more: opened * depth + core + closed * more,
    st.lists(st.sampled_from(OPENINGS), min_size=1, max_size=3).map(" ".join),
    st.integers(1, 1_000),
    simple,
    st.lists(st.sampled_from(CLOSINGS), max_size=3).map("".join),
    st.integers(0, 1_000),
)
settled = st.lists(
    st.tuples(*map(st.sampled_from, (NAMES, JOINTS, VALUES, ENDS))).map("".join) | hostile, max_size=12
).map("".join)


def with_parts(texts: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    """Return a strategy for up to four *texts*, joined by the part separator and encoded as UTF-8."""
    whole = st.lists(texts | hostile, min_size=1, max_size=4).map(PART.join)
    return whole.map(lambda text: text.encode("utf-8", "surrogatepass"))


shell_inputs = with_parts(lines | nested | hostile)
text_inputs = with_parts(settled | nested | lines)

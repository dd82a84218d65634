#!/bin/sh
# Draws the pictures of docs/draw.md again.
# usage: tools/pictures.sh [COMMAND]   the command is build/tools/command/ricci otherwise
set -eu

cd "$(dirname "$0")/.."
command=${1:-build/tools/command/ricci}

# Reads the equations; the first word is the picture's name, the others are options.
picture() {
    name=$1
    shift
    "$command" draw - -o "docs/pictures/$name.svg" --layout plain "$@"
}

attention() {
    cat <<'EQUATIONS'
Q^{hia} = X^{ic} W_Q^{hca}
K^{hja} = X^{jc} W_K^{hca}
V^{hjc} = X^{jd} W_V^{hdc}
S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
A^{hij} = \operatorname{softmax}_j(S^{hij})
O^{hic} = A^{hij} V^{hjc}
Y^{id} = O^{hic} W_O^{hcd}
EQUATIONS
}

printf '%s\n' 'T^{ijkl} = A^{ia} B^{ajb} C^{bkc} D^{cl}' | picture chain
printf '%s\n' 'S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}' | picture scores
attention | picture attention --whole
attention | picture gradient --whole --of Y --by W_Q
picture grid <<'EQUATIONS'
Z = A_1^{ao} A_2^{abp} A_3^{bcq} A_4^{cr} B_1^{ods} B_2^{pdet} B_3^{qefu} B_4^{rfv} C_1^{sgw} C_2^{tghx} C_3^{uhky} C_4^{vkz} D_1^{wl} D_2^{xlm} D_3^{ymn} D_4^{zn}
EQUATIONS
printf '%s\n' 'Y^{ad} = A^{ab} B^{bc} C^{cd}' | picture order --order A=10x2000 B=2000x30 C=30x5
printf '%s\n' 'Z^{i(hc)} = A^{hij} V^{hjc}' | picture merged
picture axes <<'EQUATIONS'
Z^{ij} = A^{ij} - A^{ji} - B^{ik} C^{kj}
EQUATIONS
printf '%s\n' 'H^i = -\sum_j A^{ij} \log A^{ij}' | picture entropy

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formulaGuard } from '../../static/js/playground/chat/formulas.js'

/** The text with formulas in «», other signs in ‹›; cut into pieces of a length. */
function read(text, length = text.length) {
  let out = ''
  let open = false
  const write = (piece) => {
    for (const tick of piece.match(/`+/g) ?? []) open = tick.length > 0 && !open
    out += piece
  }
  const guard = formulaGuard(
    write,
    ({ tex, isBlock }) => {
      out += isBlock ? `«${tex}»` : `‹${tex}›`
    },
    (sign) => {
      out += sign
    },
    () => open,
  )
  for (let from = 0; from < text.length; from += length)
    guard.write(text.slice(from, from + length))
  guard.end()
  return out
}

const CASES = [
  [
    'Area: $$\\int_0^1 x^2 dx = \\frac13$$\n\n- one',
    'Area: «\\int_0^1 x^2 dx = \\frac13»\n\n- one',
  ],
  ['\\[\na_1 + b\n\\]\nthen', '«a_1 + b»\nthen'],
  ['With \\(a_i\\) and $b^2$, so.', 'With ‹a_i› and ‹b^2›, so.'],
  ['$17 \\times 23$ is $391$', '‹17 \\times 23› is ‹391›'],
  ['From $5 to $10, or US$3 and 4$.', 'From $5 to $10, or US$3 and 4$.'],
  ['$HOME/$USER and $PATH', '$HOME/$USER and $PATH'],
  ['It is $5k or 6$ today', 'It is $5k or 6$ today'],
  ['Not closed $$x\n\nnext $y$', 'Not closed $$x\n\nnext ‹y›'],
  ['See \\[1\\] and \\[a\\_b\\]', 'See [1\\] and «a\\_b»'],
  ['`$x$` and $y$', '`$x$` and ‹y›'],
  ['`a`$y$', '`a`‹y›'],
  ['\\$5 and \\$6', '\\$5 and \\$6'],
  ['open \\(x', 'open (x'],
]

test('formulas are found wherever the text is cut, and money, paths and code are left', () => {
  for (const [text, wanted] of CASES)
    for (const length of [text.length, 1, 2, 3, 7])
      assert.equal(read(text, length), wanted, `${text} by ${length}`)
})

test('a sign without an end holds no more of the text back than a formula may have', () => {
  let out = ''
  const guard = formulaGuard(
    (piece) => {
      out += piece
    },
    () => {},
    (sign) => {
      out += sign
    },
    () => false,
  )
  guard.write(`$$${'x'.repeat(6000)}`)
  assert.equal(out.length, 6002)
})

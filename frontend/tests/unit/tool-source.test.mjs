// Name and description of a Python tool follow its source until they are edited by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setValue } from '../../static/js/builder/document/commands.js'
import { definitionIn } from '../../static/js/builder/document/tool-source.js'

const ADD = 'def add(a: float, b: float) -> float:\n    """Add two numbers."""\n    return a + b\n'
const FLIGHT =
  'import math\n\nasync def flight_price(\n    city: str = "Rome (Italy)",\n) -> str:\n    """Find the cheapest\n    flight.\n\n    Args: a city.\n    """\n'

/**
 * @param {object} config
 * @param {string[]} sources
 */
function typed(config, ...sources) {
  const doc = {
    name: '',
    layout: {},
    component: {
      provider: 'FunctionTool',
      config: { name: 'add', description: 'Add two numbers.', source_code: ADD, ...config },
    },
  }
  return sources.reduce((each, source) => setValue('/config/source_code', source).apply(each), doc)
    .component.config
}

test('name and summary are read from the first function', () => {
  assert.deepEqual(definitionIn(ADD), { name: 'add', summary: 'Add two numbers.' })
  assert.deepEqual(definitionIn(FLIGHT), {
    name: 'flight_price',
    summary: 'Find the cheapest flight.',
  })
  assert.deepEqual(definitionIn('def f(x): return x\ndef g():\n    """Other."""\n'), {
    name: 'f',
    summary: '',
  })
  assert.deepEqual(definitionIn('class A:\n    def inner(self): ...\n'), { name: '', summary: '' })
})

test('a new function brings its name and description, also when it is typed letter by letter', () => {
  const letters = Array.from(FLIGHT, (_, index) => FLIGHT.slice(0, index + 1))
  for (const sources of [[FLIGHT], ['', FLIGHT], letters]) {
    const { name, description } = typed({}, ...sources)
    assert.deepEqual([name, description], ['flight_price', 'Find the cheapest flight.'])
  }
})

test('what was written by hand stays', () => {
  const { name, description } = typed({ name: 'sum' }, FLIGHT)
  assert.deepEqual([name, description], ['sum', 'Find the cheapest flight.'])
  assert.equal(typed({ description: 'For bills.' }, FLIGHT).description, 'For bills.')
})

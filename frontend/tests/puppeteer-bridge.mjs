/**
 * Lets a test in Python drive Firefox over WebDriver BiDi: one command a line on stdin, one answer
 * a line on stdout. An answer is `{"value": …}` or `{"error": "…"}`.
 */
import { createInterface } from 'node:readline'
import { launch } from 'puppeteer-core'

const [executablePath, width, height] = process.argv.slice(2)
const browser = await launch({
  browser: 'firefox',
  executablePath,
  headless: true,
  defaultViewport: { width: Number(width), height: Number(height) },
})
const page = await browser.newPage()
/** @type {string[]} */
const problems = []
page.on('pageerror', (error) => problems.push(String(error)))

/** @type {Record<string, (command: any) => unknown>} */
const commands = {
  goto: ({ url }) => page.goto(url, { waitUntil: 'domcontentloaded' }).then(() => null),
  evaluate: ({ script, args }) => page.evaluate(`(${script})(...${JSON.stringify(args)})`),
  move: ({ x, y }) => page.mouse.move(x, y, { steps: 4 }),
  down: () => page.mouse.down(),
  up: () => page.mouse.up(),
  keyDown: ({ key }) => page.keyboard.down(key),
  keyUp: ({ key }) => page.keyboard.up(key),
  type: ({ text }) => page.keyboard.type(text),
  screenshot: ({ path }) => page.screenshot({ path }).then(() => null),
  problems: () => problems,
  version: () => browser.version(),
}

/** @param {{ value?: unknown, error?: string }} said */
const answer = (said) => process.stdout.write(`${JSON.stringify(said)}\n`)

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line)
  try {
    answer({ value: (await commands[command.do](command)) ?? null })
  } catch (error) {
    answer({ error: String(error) })
  }
}
await browser.close()

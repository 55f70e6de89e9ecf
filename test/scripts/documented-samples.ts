/** The examples of a page that stand in several languages, and the response that is documented below them. */
import { expect } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningDev, root } from '../support/dev.ts'
import { runScript } from './run-script.ts'

export interface Sample {
  /** By the language of the code block. */
  code: Record<string, string>
  /** Members of the response. */
  response: object
}

const BLOCK = /```(\w+)\n([\s\S]*?)```\s*/g

/** Code blocks below `<!-- tabs -->`, and the first block of JSON after them. */
export function readSamples(markdown: string): Sample[] {
  return markdown
    .split('<!-- tabs -->\n')
    .slice(1)
    .map(part => {
      const [tabs = ''] = /^(?:```\w+\n[\s\S]*?```\s*)+/.exec(part) ?? []
      const code = Object.fromEntries(
        [...tabs.matchAll(BLOCK)].map(([, language = '', text = '']) => [language, text]),
      )
      const [, response = 'null'] = /```json\n([\s\S]*?)```/.exec(part.slice(tabs.length)) ?? []
      return { code, response: JSON.parse(response) }
    })
}

/** Runs the samples in curl and in TypeScript, one after another, each language for a fan of its own. */
export async function runSamples(samples: Sample[], dev: RunningDev): Promise<void> {
  const fans = { sh: 'fan-0001', ts: 'fan-0008' }
  for (const [language, fan] of Object.entries(fans)) {
    const { out } = await runScript('token', [fan], { env: environmentOf(dev) })
    const token = out.trim()
    for (const { code, response } of samples) {
      const sample = (code[language] ?? '')
        .replaceAll('http://localhost:3000', `http://localhost:${dev.ports.PORT}`)
        .replaceAll('YOUR_TOKEN', token)
      const printed =
        language === 'sh' ? await run(['bash', '-c', sample], dev) : await runModule(sample, dev)
      expect(JSON.parse(printed), code[language]).toMatchObject(response)
    }
  }
}

/** Runs each module of a page whose output is documented below it: `It prints …`. */
export async function runModules(markdown: string, dev: RunningDev): Promise<void> {
  for (const [, code = '', output = ''] of markdown.matchAll(/```ts\n([^`]*)```\s+It prints `([^`]+)`/g)) {
    const sample = code
      .replaceAll('localhost:3000', `localhost:${dev.ports.PORT}`)
      .replaceAll('localhost:4000', `localhost:${dev.ports.MOCK_IDP_PORT}`)
    expect((await runModule(sample, dev)).trim(), code).toBe(output)
  }
}

async function runModule(text: string, dev: RunningDev): Promise<string> {
  const file = join(dev.env.HOME ?? '', 'sample.ts')
  await Bun.write(file, text.replaceAll("'@matchday/client'", `'${join(root, 'src/client/index.ts')}'`))
  try {
    return await run(['bun', file], dev)
  } finally {
    rmSync(file)
  }
}

const environmentOf = ({ env, ports }: RunningDev) => ({
  ...env,
  IDP_ISSUER: `http://localhost:${ports.MOCK_IDP_PORT}`,
})

async function run([program = '', ...parameters]: string[], dev: RunningDev): Promise<string> {
  const command = program === 'bun' ? process.execPath : program
  const child = Bun.spawn([command, ...parameters], {
    cwd: root,
    env: environmentOf(dev),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect([await child.exited, err]).toEqual([0, expect.any(String)])
  return out
}

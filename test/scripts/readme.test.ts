/** Runs the console blocks of the README: each `$` line must print the text below it. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, startDev } from '../support/dev.ts'

interface Step {
  command: string
  output: string
}

/** The steps of every ```console block. */
function readSteps(markdown: string): Step[] {
  const blocks = [...markdown.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block]) => block ?? '')
  return blocks.flatMap(block =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map(step => {
        const [command = '', ...output] = step.trimEnd().split('\n')
        return { command, output: output.join('\n') }
      }),
  )
}

/** Replaces values that differ between runs. */
function normalize(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replace(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replace(/\b([0-9A-Z]{4}-){3}[0-9A-Z]{4}\b/g, 'CODE')
    .replaceAll('\r', '')
    .trim()
}

test('every command of the README prints the text below it', async () => {
  const steps = readSteps(readFileSync(join(root, 'README.md'), 'utf8'))
  expect(steps.length).toBeGreaterThan(10)

  const dev = await startDev()
  const { ports, env } = dev
  try {
    // One shell for all steps, as for a reader; a mark after each command separates the outputs.
    const mark = '--- end of step ---'
    const script = steps.map(({ command }) => `${command}\necho; echo '${mark}'`).join('\n')
    const here = script.replaceAll('localhost:3000', `localhost:${ports.PORT}`)
    const shell = Bun.spawn(
      ['bash', '-c', here.replaceAll('localhost:4000', `localhost:${ports.MOCK_IDP_PORT}`)],
      {
        cwd: root,
        env: { ...env, IDP_ISSUER: `http://localhost:${ports.MOCK_IDP_PORT}` },
        stdout: 'pipe',
        stderr: 'pipe',
      },
    )
    const [printed, errors] = await Promise.all([
      new Response(shell.stdout).text(),
      new Response(shell.stderr).text(),
    ])
    const outputs = printed.split(mark).map(normalize)
    for (const [at, step] of steps.entries()) {
      // Notes of scripts go to standard error, which a terminal also shows.
      const found =
        outputs[at] === '' && step.output !== '' && errors.includes(step.output) ? step.output : outputs[at]
      const withDefaultPorts = found?.replaceAll(ports.PORT, '3000').replaceAll(ports.MOCK_IDP_PORT, '4000')
      expect({ command: step.command, output: withDefaultPorts }).toEqual({
        command: step.command,
        output: normalize(step.output),
      })
    }
  } finally {
    await dev.stop()
  }
})

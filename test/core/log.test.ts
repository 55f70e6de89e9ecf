/** The log: no line is lost when a process exits, and its level changes at run time. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'

const MODULE = join(import.meta.dir, '../../src/core/log.ts')

/** The output of a process that runs these statements and exits immediately. */
async function outputOf(
  statements: string,
  level = 'info',
): Promise<{ code: number; messages: (string | undefined)[] }> {
  const source = `
    const { createLog } = await import(${JSON.stringify(MODULE)})
    const { log, setLevel, exit } = createLog('${level}', undefined)
    ${statements}
    await exit(3)`
  const child = Bun.spawn([process.execPath, '-e', source], { stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  const messages = text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line).msg)
  return { code: await child.exited, messages }
}

test.each([0, 1, 2, 3, 1000])(
  'a process that logs %d lines and exits writes each of them once',
  async lines => {
    const messages = Array.from({ length: lines }, (_, n) => `line ${n + 1}`)
    // Several runs, because a line that is being written is lost in half of the cases only.
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => outputOf(`for (let n = 1; n <= ${lines}; n++) log.info('line ' + n)`)),
    )
    expect(runs).toEqual(Array(4).fill({ code: 3, messages }))
  },
)

test.each(['info', 'warn', 'silent'])(
  'a change of the level from %s and back is logged once each',
  async level => {
    const statements = `setLevel('debug'); log.debug('seen'); setLevel('${level}'); log.debug('unseen')`
    const messages = ['log level changed', 'seen', 'log level changed']
    expect(await outputOf(statements, level)).toEqual({ code: 3, messages })
  },
)

test('the message of an error is not logged', async () => {
  const statements = `log.error(new Error('calebe@example.net')); log.error(new Error('calebe@example.net'), 'failed')`
  expect(await outputOf(statements)).toEqual({ code: 3, messages: [undefined, 'failed'] })
})

/** A process that runs commands one after another, see `command-runner.ts`: loading modules is most of what a short one costs. */
import { join } from 'node:path'
import type { CommandOutcome, CommandRun } from './command-runner.ts'

const root = join(import.meta.dir, '../..')
let output = { out: '', err: '' }
let exited: (code: number) => void = () => {}

type Written = (error?: Error) => void

const writeTo = (stream: keyof typeof output) => (text: string | Uint8Array, written?: Written) => {
  output[stream] += typeof text === 'string' ? text : Buffer.from(text).toString()
  written?.()
  return true
}

Object.assign(process.stdout, { write: writeTo('out'), isTTY: false })
Object.assign(process.stderr, { write: writeTo('err'), isTTY: false })
Object.assign(process, { exit: (code = 0) => exited(code) })

let runs = 0

async function run({ file, parameters, env }: CommandRun): Promise<CommandOutcome> {
  output = { out: '', err: '' }
  process.env = env
  process.argv = [process.execPath, join(root, file), ...parameters]
  const code = new Promise<number>(resolve => {
    exited = resolve
  })
  // The query makes it another module, which is evaluated: what it imports is evaluated once.
  await import(`${join(root, file)}?run=${++runs}`)
  return { code: await code, ...output }
}

process.on('message', async (message: CommandRun) => {
  process.send?.(await run(message))
})
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

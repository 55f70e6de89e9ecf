/**
 * `bun run types:growth`: what the compiler and the editor's language server take for `src/app`, and for the application with 150
 * operations. Fails when the compiler takes twice the CPU time for them: the types of a chain of routes would grow too fast.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { writeGrownApp } from './generated-app.ts'
import { openInEditor } from './language-server.ts'

const OPERATIONS = 220
const root = join(import.meta.dir, '../..')
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const folder = join(root, 'dist/types')

async function countOperations(): Promise<number> {
  let count = 0
  for await (const path of new Glob('src/**/*routes.ts').scan(root))
    count += (await Bun.file(join(root, path)).text()).split(' operation({').length - 1
  return count
}

/** The CPU time, in seconds: that of the clock depends on what else runs. @throws Error with what is wrong */
function compile(name: string, include: string): number {
  const project = join(folder, `${name}.json`)
  writeFileSync(project, JSON.stringify({ extends: '../../tsconfig.json', include: [include], exclude: [] }))
  // On one thread: with more, collections of garbage take a share that varies by a factor of two.
  const env = { ...process.env, GOMAXPROCS: '1' }
  const { stdout, exitCode, resourceUsage } = Bun.spawnSync(
    [process.execPath, tsc, '--noEmit', '-p', project],
    { env },
  )
  if (exitCode !== 0) throw new Error(stdout.toString())
  return Number(resourceUsage.cpuTime.total) / 1_000_000
}

async function edit(path: string): Promise<number> {
  const { seconds, errors } = await openInEditor([process.execPath, tsc, '--lsp', '--stdio'], root, path)
  if (errors > 0) throw new Error(`the language server finds ${errors} errors in ${path}`)
  return seconds
}

const today = await countOperations()
mkdirSync(folder, { recursive: true })
writeGrownApp(join(folder, 'grown'), OPERATIONS - today)

const compiled = [compile('today', '../../src/app'), compile('grown', './grown')] as const
const edited = [await edit(join(root, 'src/app/app.ts')), await edit(join(folder, 'grown/app.ts'))] as const
const figures = ([now, then]: readonly [number, number]) => `${now.toFixed(1)} s, ${then.toFixed(1)} s`
process.stdout.write(`src/app with ${today} operations, and with ${OPERATIONS}:
tsc, CPU time: ${figures(compiled)}
language server, from its start to the errors of app.ts: ${figures(edited)}
`)
process.exitCode = compiled[1] < 2 * compiled[0] ? 0 : 1

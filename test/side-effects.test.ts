/** `src/main.ts` is the only module of `src` that does something when it is imported. */
import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { root } from './support/executable.ts'

async function effectsOf(paths: string[]): Promise<Record<string, string[]>> {
  const child = Bun.spawn([process.execPath, 'test/import-process.ts', ...paths], {
    cwd: root,
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return JSON.parse(await new Response(child.stdout).text())
}

test('Importing a module of src starts, opens and registers nothing', async () => {
  const modules = [...new Glob('src/**/*.ts').scanSync(root)]
    // The pages of the console run in a browser.
    .filter(path => path !== 'src/main.ts' && !/node_modules\/|\.d\.ts$|^src\/console\//.test(path))
    .toSorted()
  expect(modules.length).toBeGreaterThan(200)
  expect(await effectsOf(modules.map(path => join(root, path)))).toEqual({})
})

test.each([
  ['a timer', 'setInterval(() => {}, 1000)', 'setInterval'],
  ['a listener of the process', "process.on('SIGHUP', () => {})", 'on'],
  ['a server', "Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })", 'serve'],
  ['a format', "(await import('@sinclair/typebox')).FormatRegistry.Set('x', () => true)", 'formats: x'],
  ['a global', 'globalThis.x = 1', 'globals: x'],
  ['a variable of the environment', "process.env.X_OF_TEST = 'x'", 'environment: X_OF_TEST=x'],
])('The check finds %s', async (_, source, effect) => {
  mkdirSync(join(root, 'dist'), { recursive: true })
  const folder = mkdtempSync(join(root, 'dist/effects-'))
  const path = join(folder, 'module.ts')
  await Bun.write(path, `${source}\nexport {}\n`)
  try {
    expect((await effectsOf([path]))[path]).toContain(effect)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

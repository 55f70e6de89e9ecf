/** Imports modules, one after another, and prints as JSON the side effects of each import. */
import { FormatRegistry, TypeRegistry } from '@sinclair/typebox'
// Registers formats of its own.
import 'elysia'

const called: string[] = []

/** Counts the calls of a function that opens, starts or waits for something. */
function watch(owner: object, name: string): void {
  const original: unknown = Reflect.get(owner, name)
  if (typeof original !== 'function') throw new Error(`${name} is no function`)
  const watched = function (this: unknown, ...given: unknown[]) {
    called.push(name)
    return Reflect.apply(original, this, given)
  }
  Reflect.set(owner, name, Object.assign(watched, original))
}

for (const name of ['fetch', 'setInterval', 'setTimeout', 'setImmediate']) watch(globalThis, name)
for (const name of ['serve', 'listen', 'connect', 'spawn', 'spawnSync', 'write']) watch(Bun, name)
for (const name of ['on', 'once', 'exit', 'chdir']) watch(process, name)

const state = (): Record<string, string[]> => ({
  formats: [...FormatRegistry.Entries().keys()],
  types: [...TypeRegistry.Entries().keys()],
  globals: Object.getOwnPropertyNames(globalThis),
  environment: Object.entries(process.env).map(entry => entry.join('=')),
  resources: process.getActiveResourcesInfo(),
})

const effects: Record<string, string[]> = {}
for (const path of process.argv.slice(2)) {
  const before = state()
  called.length = 0
  await import(path)
  const changed = Object.entries(state()).flatMap(([kind, now]) =>
    now.filter(item => !before[kind]?.includes(item)).map(item => `${kind}: ${item}`),
  )
  if (called.length + changed.length > 0) effects[path] = [...called, ...changed]
}
process.stdout.write(JSON.stringify(effects))
process.exit()

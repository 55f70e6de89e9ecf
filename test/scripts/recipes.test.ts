/** Recipes of docs/recipes/: their code compiles in a copy of the repository, and their files are those of deploy/. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../support/dev.ts'
import { capabilityRows, placesOf } from '../types/capability.ts'
import { addRoom } from '../types/own-room.ts'

const units = readdirSync(join(root, 'deploy')).filter(name => /\.(service|timer)$/.test(name))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** `bun run types:field` compiles it. */
describe('A room of your own', () => {
  const copy = mkdtempSync(join(tmpdir(), 'matchday-room-'))

  beforeAll(async () => {
    for (const path of ['src', 'db', 'scripts', 'mock-idp', 'package.json', 'tsconfig.json'])
      cpSync(join(root, path), join(copy, path), {
        recursive: true,
        filter: name => !name.includes('node_modules') && !name.includes('/scripts/bench'),
      })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    await addRoom(copy)
  })
  afterAll(() => rmSync(copy, { recursive: true }))

  test('is in the OpenAPI document, with its problem', async () => {
    const child = Bun.spawn([process.execPath, 'scripts/openapi.ts'], { cwd: copy, stdout: 'pipe' })
    const out = await new Response(child.stdout).text()
    expect(await child.exited).toBe(0)
    const { get } = JSON.parse(out).paths['/api/user/next-match']
    expect(get.operationId).toBe('readNextMatch')
    expect(JSON.stringify(get.responses[409])).toContain('no_favorite_team')
  })
})

/** `bun run types:field` applies it, compiles it and runs its test. */
test.each(capabilityRows)('Add a capability finds its place in $file, after $after', ({ file, after }) => {
  expect(placesOf(after, read(file).split('\n'))).toHaveLength(1)
})

test('Add a capability has the declaration that the contributing page shows', () => {
  const shown = /```ts\n( *export const fanData[\s\S]*?)```/.exec(read('CONTRIBUTING.md'))?.[1] ?? ''
  const declaration = shown.trim().replaceAll('\n   ', '\n')
  expect(declaration).toContain('satisfies FanData<')
  expect(read('docs/recipes/capability.md')).toContain(declaration)
})

describe('One VM with TLS', () => {
  const page = read('docs/recipes/one-vm.md')
  const settings = page.matchAll(/^([A-Z_]+)=/gm).map(([, name = '']) => name)

  test('shows the Caddyfile of deploy/, and names each of its files', () => {
    const [, shown = ''] = /```caddy\n([\s\S]*?)```/.exec(page) ?? []
    expect(read('deploy/Caddyfile').replace(/^#.*\n/, '')).toBe(shown)
    const files = readdirSync(join(root, 'deploy')).filter(name => name.startsWith('matchday'))
    for (const file of ['Caddyfile', ...files]) expect(page).toContain(`](../../deploy/${file})`)
  })

  test.each(units.filter(name => !name.includes('@')))(
    '%s has a template that differs only in the name of the club',
    name => {
      const [base, kind] = name.split('.')
      const [, ...template] = read(`deploy/${base}@.${kind}`).split('\n')
      const ofOne = template
        .join('\n')
        .replaceAll('/etc/matchday/%i.env', '/etc/matchday/matchday.env')
        .replaceAll('matchday-%i', 'matchday')
        .replaceAll('matchday@.service', 'matchday.service')
        .replaceAll(' of %i', '')
      expect(ofOne).toBe(read(`deploy/${name}`))
    },
  )

  test('runs commands by systemd-run with the environment of the unit', () => {
    const lines = ['docs/recipes/one-vm.md', 'docs/deployment.md'].flatMap(path => [
      ...read(path)
        .replaceAll('\\\n', '')
        .matchAll(/^systemd-run .+/gm),
    ])
    expect(lines.length).toBeGreaterThan(1)
    for (const [line] of lines)
      for (const part of [
        '--setenv=NODE_ENV=production ',
        '--property=EnvironmentFile=/etc/matchday/matchday.env ',
        '--property=WorkingDirectory=/var/lib/matchday ',
        '--property=User=matchday ',
      ])
        expect(line).toContain(part)
  })

  test('names settings that exist, and commands of the executable', () => {
    const documented = read('docs/configuration.md')
    expect([...settings].filter(name => !documented.includes(`\`${name}\``))).toEqual([])
    const services = units
      .filter(name => name.endsWith('.service') && !name.includes('@'))
      .map(name => read(`deploy/${name}`))
    expect(services).toHaveLength(3)
    for (const line of [
      'DynamicUser=yes',
      'User=matchday',
      'StateDirectory=matchday',
      'WorkingDirectory=%S/matchday',
      'Environment=NODE_ENV=production',
    ])
      for (const service of services) expect(service.split('\n')).toContain(line)
  })

  const analyze = Bun.which('systemd-analyze')
  const title = analyze
    ? 'units are accepted by systemd'
    : 'units are accepted by systemd (skipped: no systemd-analyze)'
  test.skipIf(analyze === null)(title, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'matchday-units-'))
    try {
      // The executable need not be installed here.
      for (const unit of units)
        await Bun.write(
          join(folder, unit),
          read(`deploy/${unit}`).replaceAll('/usr/local/bin/matchday', process.execPath),
        )
      const instances = units.map(unit => join(folder, unit.replace('@.', '@harbour.')))
      const child = Bun.spawn([analyze ?? '', 'verify', '--man=no', ...instances], {
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const complaints = await new Response(child.stderr).text()
      expect([await child.exited, complaints.split('\n').filter(line => line.includes('matchday'))]).toEqual([
        0,
        [],
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

test('Theming names properties that the example app has', () => {
  const page = read('docs/recipes/theming.md')
  const tokens = read('examples/web/style/tokens.css')
  const named = [...page.matchAll(/(--[a-z-]+)(?=:|`)/g)].map(([, name = '']) => name)
  expect(named.length).toBeGreaterThan(4)
  expect(named.filter(name => !tokens.includes(`${name}:`))).toEqual([])
  const paths = page.matchAll(/`(?:bun test )?((?:examples|test)\/[\w./-]+)`/g).map(([, path = '']) => path)
  expect([...paths].filter(path => !existsSync(join(root, path)))).toEqual([])
})

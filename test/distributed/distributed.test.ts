/** `bun run test:distributed`, on the server of the tests. */
import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { noServer } from '../support/engines.ts'
import { root } from '../support/executable.ts'
import { FILES, listFiles } from './files.ts'

const server = process.env.TEST_POSTGRES_URL ?? ''

async function run(...parameters: string[]) {
  const child = Bun.spawn([process.execPath, 'run', 'test:distributed', ...parameters], {
    cwd: root,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, lines: out.trim().split('\n'), err }
}

test.skipIf(noServer !== '')(
  `test:distributed tells what differs on a cluster, at SERIALIZABLE, and leaves no database there (PostgreSQL)${noServer}`,
  async () => {
    const { code, lines, err } = await run(server, './test/distributed/differing.ts')
    expect(lines[0]).toStartWith('PostgreSQL ')
    expect(lines.slice(-2)).toEqual([
      'differs: test/distributed/differing.ts: counts "<rows>" as the other engine (PostgreSQL)',
      '1 passed, 1 differ',
    ])
    expect(err).toContain('Received: 1')
    expect(code).toBe(1)
    const client = new SQL(server, { max: 1 })
    const name = /databases (matchday_cluster_\w+)/.exec(lines.join('\n'))?.[1]
    expect(name).toBeString()
    expect(await client`SELECT 1 FROM pg_database WHERE starts_with(datname, ${name})`).toBeEmpty()
    await client.close()
  },
  120_000,
)

test('test:distributed runs each file by its path, since a path makes `bun test` ignore parts of names', () => {
  const files = listFiles(FILES)
  expect(files.every(file => file.startsWith('./test/'))).toBe(true)
  expect(files).toEqual([...new Set(files)])
  for (const part of FILES) expect(files.join('\n')).toContain(part)
  for (const file of [
    'play/leagues/model',
    'play/divisions/races',
    'play/questions/model',
    'play/shop/withdrawal-model',
  ])
    expect(files).toContain(`./test/${file}.test.ts`)
  expect(() => listFiles(['test/unknown/'])).toThrow('test/unknown/')
})

test('test:distributed refuses what is no PostgreSQL URL', async () => {
  for (const parameters of [[], ['sqlite:data/matchday.db']]) {
    const { code, err } = await run(...parameters)
    expect([code, err]).toEqual([2, expect.stringContaining('Usage: bun run test:distributed postgres://')])
  }
})

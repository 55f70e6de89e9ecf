/** `bun run console-link` as a command. */
import { expect, test } from 'bun:test'
import { consoleOf } from '../console/support.ts'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScriptOn } from './run-script.ts'

for (const engine of engines) {
  onEngine(engine, 'bun run console-link', world => {
    const run = (parameters: string[], env: Record<string, string> = {}) =>
      runScriptOn(world, 'console-link', parameters, { CONSOLE_PORT: '3100', ...env })

    test('prints a link that signs the person in, once', async () => {
      const { code, out, err } = await run(['--name', 'Ada Lovelace', '--role', 'finance'])
      expect(code).toBe(0)
      const [, secret] = /^http:\/\/localhost:3100\/sign-in#([\w-]{43})\n$/.exec(out) ?? []
      expect(err).toStartWith('Signs Ada Lovelace in as finance, once, until ')
      const { anonymous } = consoleOf(world)
      const { status, body } = await anonymous.post('/api/session/sign-in', { secret })
      expect([status, body.staff]).toEqual([
        200,
        { id: 'link:adalovelace', name: 'Ada Lovelace', role: 'finance' },
      ])
    })

    test('prints JSON with --json, with the address of CONSOLE_URL', async () => {
      const env = { CONSOLE_URL: 'https://console.club.example' }
      const { code, out } = await run(['--name', 'Grace', '--role', 'support', '--json'], env)
      expect([code, JSON.parse(out)]).toMatchObject([
        0,
        {
          url: expect.stringMatching(/^https:\/\/console\.club\.example\/sign-in#[\w-]{43}$/),
          name: 'Grace',
          role: 'support',
        },
      ])
    })

    test.each([
      ['a role that is none', ['--name', 'Ada', '--role', 'admin'], 2, 'Allowed choices are support, editor'],
      ['no role', ['--name', 'Ada'], 2, "required option '--role <role>' not specified"],
      ['an invisible name', ['--name', ' ', '--role', 'owner'], 2, '--name must be visible text'],
      [
        'a name that turns the text',
        ['--name', 'Ada\u202e', '--role', 'owner'],
        2,
        '--name must be visible text',
      ],
      ['stacked marks', ['--name', 'Ada\u0334\u0335\u0336', '--role', 'owner'], 2, 'visible text'],
      ['a name of two lines', ['--name', 'Ada\nByron', '--role', 'owner'], 2, 'of one line'],
      ['a name with two spaces', ['--name', 'Ada  Byron', '--role', 'owner'], 2, 'single spaces'],
    ] as const)('refuses %s', async (_, parameters, exit, message) => {
      const { code, out, err } = await run([...parameters])
      expect([code, out]).toEqual([exit, ''])
      expect(err).toContain(message)
    })

    test('says what is missing where the console is not served, or has no address', async () => {
      const parameters = ['--name', 'Ada', '--role', 'owner']
      const unknown = await run(parameters, { CONSOLE_PORT: '0' })
      expect([unknown.code, unknown.err]).toEqual([
        1,
        'CONSOLE_PORT is 0: set CONSOLE_URL to the address of the console.\n',
      ])
    })
  })
}

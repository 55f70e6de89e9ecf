/** `bun run token [fan]`: an access token of the mock provider on standard output, for curl. */

import { commandLine } from '../src/core/command-line.ts'
import { developmentDefaults } from '../src/platform/config/environment.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { fail } from './command/explain.ts'
import { applyNote } from './dev/note.ts'

const command = declareCommand({
  name: 'token',
  summary: 'Prints a session token of the mock provider, for curl.',
  examples: [
    ['', 'for the first fan, who has no profile yet'],
    ['santos', 'for the fan whose id, name or email is or contains this'],
  ],
  notes: 'The provider is at IDP_ISSUER.',
  database: false,
}).argument('[fan...]', 'id, name or email of a fan')

interface ListedUser {
  sub: string
  name?: string
  email?: string
  preferred_username?: string
}

const issuerOf = () => (process.env.IDP_ISSUER?.trim() || developmentDefaults.IDP_ISSUER).replace(/\/+$/, '')

async function call<T>(path: string, body?: unknown): Promise<T> {
  const init = body
    ? { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    : {}
  const response = await fetch(issuerOf() + path, init).catch(() =>
    fail(
      `No mock provider is reachable at ${issuerOf()}. Start it with \`${commandLine('dev')}\`, or set IDP_ISSUER.`,
    ),
  )
  if (!response.ok)
    fail(
      `The provider at ${issuerOf()} responded with ${response.status} to ${path}: is it the mock provider?`,
    )
  return (await response.json()) as T
}

async function findFan(query: string): Promise<ListedUser> {
  const { users } = await call<{ users: ListedUser[] }>(
    `/_mock/users?limit=100&q=${encodeURIComponent(query)}`,
  )
  const exact = users.find(user => [user.sub, user.email, user.preferred_username, user.name].includes(query))
  // Without a query: the first fan, who has no profile yet.
  const found = query === '' ? users[0] : (exact ?? (users.length === 1 ? users[0] : undefined))
  if (found) return found
  if (users.length === 0) return fail(`No fan matches "${query}". The list: ${issuerOf()}/_mock/users`)
  const names = users.slice(0, 10).map(user => `  ${user.sub}  ${user.name ?? ''}`)
  return fail(`${users.length} fans match "${query}"; be more specific:\n${names.join('\n')}`)
}

await runCommand(command, async ({ parameters: [words], note }) => {
  applyNote(process.env)
  const fan = await findFan(words.join(' ').trim())
  const { access_token } = await call<{ access_token: string }>('/_mock/tokens', { sub: fan.sub })
  note(`${fan.name ?? fan.sub} (${fan.sub})`)
  return { json: { subject: fan.sub, token: access_token }, text: access_token }
})

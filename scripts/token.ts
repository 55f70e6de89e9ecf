/** `bun run token [fan]`: an access token of the mock provider on standard output, for curl. */
import { developmentDefaults } from '../src/config/reader.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { fail } from './command/explain.ts'

const command = declareCommand({
  name: 'token',
  summary: 'A session token of the mock provider, for curl.',
  examples: [
    ['', 'of the first fan, who is new to the application'],
    ['santos', 'of the fan with this id, name or address, or a part of it'],
  ],
  notes: 'The provider is at IDP_ISSUER.',
  database: false,
}).argument('[fan...]', 'whose')

interface ListedUser {
  sub: string
  name?: string
  email?: string
  preferred_username?: string
}

const issuer = (process.env.IDP_ISSUER?.trim() || developmentDefaults.IDP_ISSUER).replace(/\/+$/, '')

async function ask<T>(path: string, body?: unknown): Promise<T> {
  const init = body
    ? { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    : {}
  const response = await fetch(issuer + path, init).catch(() =>
    fail(`No mock provider answers at ${issuer}. Start it with \`bun run dev\`, or set IDP_ISSUER.`),
  )
  if (!response.ok)
    fail(`The provider at ${issuer} answered ${response.status} to ${path}: is it the mock provider?`)
  return (await response.json()) as T
}

async function findFan(wanted: string): Promise<ListedUser> {
  const { users } = await ask<{ users: ListedUser[] }>(
    `/_mock/users?limit=100&q=${encodeURIComponent(wanted)}`,
  )
  const exact = users.find(user =>
    [user.sub, user.email, user.preferred_username, user.name].includes(wanted),
  )
  // Without a name: the first fan, who is new to the application.
  const found = wanted === '' ? users[0] : (exact ?? (users.length === 1 ? users[0] : undefined))
  if (found) return found
  if (users.length === 0) return fail(`No fan matches "${wanted}". The list: ${issuer}/_mock/users`)
  const names = users.slice(0, 10).map(user => `  ${user.sub}  ${user.name ?? ''}`)
  return fail(`${users.length} fans match "${wanted}"; say which:\n${names.join('\n')}`)
}

await runCommand(command, async ({ parameters: [words], note }) => {
  const fan = await findFan(words.join(' ').trim())
  const { access_token } = await ask<{ access_token: string }>('/_mock/tokens', { sub: fan.sub })
  note(`${fan.name ?? fan.sub} (${fan.sub})`)
  return { answer: { subject: fan.sub, token: access_token }, text: access_token }
})

/** `bun run console-link --name NAME --role ROLE`: a link that signs one person in to the console, once. */
import { Option } from '@commander-js/extra-typings'
import { ROLES } from '../src/identity/staff/roles.ts'
import { addressOfLink, issueLink } from '../src/identity/staff/sessions/links.ts'
import { nameFault } from '../src/identity/staff/staff.ts'
import { consoleUrlOf } from '../src/operate/console/contract/settings.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { fail, failUsage } from './command/explain.ts'

const command = declareCommand({
  name: 'console-link',
  summary: `Prints a link that signs one person in to the console. It works once, within 10 minutes. The session lasts 8 hours.
All links with the same name belong to one person: use the same name each time, and a different name for each person.`,
  examples: [
    ['--name "Ada Lovelace" --role owner', 'a person with all permissions'],
    ['--name Grace --role support --json', 'the link and when it expires, as JSON'],
  ],
  notes: 'CONSOLE_URL is the address in the link; by default the console is at http://localhost:3100.',
})
  .requiredOption('--name <name>', 'the person, as the audit log names them')
  .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).makeOptionMandatory())

await runCommand(command, async ({ options: { name, role }, configuration, openDatabase, note }) => {
  const fault = nameFault(name)
  if (fault !== null) failUsage(`--name ${fault}`)
  const { console } = await configuration()
  if (!console) return fail('The console is not served: set CONSOLE_PORT.')
  const base = consoleUrlOf(console)
  if (base === null) return fail('CONSOLE_PORT is 0: set CONSOLE_URL to the address of the console.')
  const db = await openDatabase()
  const link = await db.write(tx => issueLink(tx, { name, role }))
  const { expiresAt } = link
  const url = addressOfLink(base, link)
  note(
    `Signs ${name} in as ${role}, once, until ${expiresAt.toISOString()}. Anybody who has the link can use it.`,
  )
  return { json: { url, name, role, expiresAt }, text: url }
})

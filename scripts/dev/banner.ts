import { developmentKey } from '../../src/identity/server-keys/development-key.ts'
import { type Config, developmentDefaults } from '../../src/platform/config/config.ts'

/** The message at the start. The curl lines work as printed once TOKEN is set. */
export function banner(
  { port, identity, databaseUrl }: Config,
  { fresh, consoleLink }: { fresh: boolean; consoleLink: string | null },
): string {
  const api = `http://localhost:${port}`
  // Another shell needs the issuer if it is not the default.
  const environment =
    identity.issuer === developmentDefaults.IDP_ISSUER ? '' : `IDP_ISSUER=${identity.issuer} `
  const auth = '-H "Authorization: Bearer $TOKEN"'
  return `
  Matchday is ready.

    Swagger UI   ${api}/docs      press Authorize, pick a fan
    Demo app     ${api}/demo      examples/web, at phone width
    Guide        ${api}/docs/guide
${consoleLink === null ? '' : `    Console      ${consoleLink}\n                 signs in as owner, once, within 10 minutes\n`}    Provider     ${identity.issuer}           mock: fans, tokens, faults
    Database     ${withoutPassword(databaseUrl)}
    Server key   ${developmentKey}

  A token for curl, for the first fan or a fan that you name:

    TOKEN=$(${environment}${tokenCommand()})

    curl ${api}/api/rewards ${auth}
    curl -X POST ${api}/api/user/onboarding ${auth}
    curl ${api}/api/user/points ${auth}
${fresh ? FRESH_NOTICE : ''}
  Ctrl-C stops both.${Bun.isStandaloneExecutable ? '' : ' Changes reload.'}

`
}

function tokenCommand(): string {
  if (Bun.isStandaloneExecutable) return `${process.execPath} token`
  // Bun installed by npx is only on the PATH of this process.
  return process.execPath.includes('_npx') ? 'npx bun run token' : 'bun run token'
}

function withoutPassword(url: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/[^:@/]+):[^@]*@/, '$1:…@')
}

const FRESH_NOTICE = `
  The data is fresh, and deleted at the end. Commands in another terminal use it, in this directory.
`

import { type Config, developmentDefaults } from '../../src/config/config.ts'

/** What a developer needs first. The three curl lines work as printed, once TOKEN is set. */
export function banner({ port, identity, databaseUrl }: Config): string {
  const api = `http://localhost:${port}`
  // Bun that npx brought is on no PATH but this process's own.
  const bun = process.execPath.includes('_npx') ? 'npx bun' : 'bun'
  // Another shell does not know of a provider that is not at its usual place.
  const where = identity.issuer === developmentDefaults.IDP_ISSUER ? '' : `IDP_ISSUER=${identity.issuer} `
  const auth = '-H "Authorization: Bearer $TOKEN"'
  return `
  Matchday is ready.

    Swagger UI   ${api}/docs      press Authorize, pick a fan
    Provider     ${identity.issuer}           mock: fans, tokens, faults
    Database     ${withoutPassword(databaseUrl)}

  A token for curl, for the first fan or for one you name:

    TOKEN=$(${where}${bun} run token)

    curl ${api}/api/rewards ${auth}
    curl -X POST ${api}/api/user/onboarding ${auth}
    curl ${api}/api/user/points ${auth}

  Ctrl-C stops both. Changes reload.

`
}

function withoutPassword(url: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/[^:@/]+):[^@]*@/, '$1:…@')
}

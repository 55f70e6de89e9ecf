/** Another application on a world's database: without the provider's keys yet, or with other signing keys. */
import { createApp } from '../../../src/app/app.ts'
import type { Deps } from '../../../src/app/deps.ts'
import { createNativeTokens } from '../../../src/identity/auth/native-tokens.ts'
import { type Environment, parseConfig } from '../../../src/platform/config/config.ts'
import { makeDevelopmentSecrets } from '../../../src/platform/config/development-secrets.ts'
import { createIdentityProvider } from '../../../src/platform/identity-provider/provider.ts'
import { type Client, createClient } from '../../support/client.ts'
import { conformanceOf } from '../../support/conformance.ts'
import { ISSUER, type World } from '../../support/world.ts'

const secrets = await makeDevelopmentSecrets()

/** Its responses are validated against its OpenAPI document. */
export interface Application {
  deps: Deps
  /** A client with this token, or an anonymous one. */
  as(token?: string): Client
}

async function applicationOf(deps: Deps): Promise<Application> {
  const app = createApp(deps)
  const judge = await conformanceOf(deps, app)
  return { deps, as: token => createClient(request => app.handle(request), judge, token) }
}

/** Longer than any response takes on a busy machine. */
const PATIENT_MS = 30_000
/** For a provider that does not respond. On a busy machine a call to a working provider may fail too. */
export const IMPATIENT_MS = 100

/** Has no keys of the provider yet. */
export function startFresh({ config, deps, idp }: World, deadlineMs = PATIENT_MS): Promise<Application> {
  const { now, elapsed, log } = deps
  const resilience = { deadlineMs, retryWaitMs: 2, openMs: 1 }
  const identity = createIdentityProvider({
    ...config.identity,
    now,
    elapsed,
    log,
    fetch: idp.handle,
    resilience,
  })
  return applicationOf({ ...deps, identity })
}

/** Signs and verifies native tokens with these settings. */
export async function startWith({ deps }: World, env: Environment): Promise<Application> {
  const config = parseConfig({ ...secrets, IDP_ISSUER: ISSUER, ...env })
  const nativeTokens = await createNativeTokens({ ...config.nativeTokens, now: deps.now })
  return applicationOf({ ...deps, config, nativeTokens })
}

const CONSTANT = 'its default is now a constant'
const listed = (item: string) => `set RATE_LIMITS=${item}=… instead`

/** Variables of former versions, and what replaces each. A variable stays here: installations skip versions. */
const REMOVED: Readonly<Record<string, string>> = {
  BODY_TIMEOUT_MS: CONSTANT,
  DATABASE_CONNECT_TIMEOUT_MS: CONSTANT,
  DOCS_CLIENT_ID: 'enter the client in Swagger UI',
  IDP_KEYS_USABLE_HOURS: CONSTANT,
  MAX_BODY_BYTES: CONSTANT,
  MAX_BODY_LEVELS: CONSTANT,
  MAX_STREAMS_PER_FAN: CONSTANT,
  MAX_UNFINISHED_BODIES: CONSTANT,
  MAX_UNFINISHED_BODIES_PER_ADDRESS: CONSTANT,
  MAX_UNFINISHED_BODY_BYTES: CONSTANT,
  MAX_UNFINISHED_BODY_BYTES_PER_ADDRESS: CONSTANT,
  RATE_LIMIT_CLAIMS: listed('claims'),
  RATE_LIMIT_PURCHASES: listed('purchases'),
  RATE_LIMIT_REDEMPTIONS: listed('redemptions'),
  RATE_LIMIT_RELATIONS: listed('relations'),
  RATE_LIMIT_REPORTS: listed('reports'),
  RATE_LIMIT_TOKENS: listed('tokens'),
  RATE_LIMIT_TOKENS_PER_ADDRESS: listed('tokensPerAddress'),
  RATE_LIMIT_TRADES: listed('trades'),
  RATE_LIMIT_UPLOADS: listed('uploads'),
  RATE_LIMIT_WALLETS: listed('wallets'),
}

export const isRemoved = (name: string): boolean => Object.hasOwn(REMOVED, name)

/** `X is no longer read: …` of each that is set. Never its value. */
export const findRemoved = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.keys(env)
    .filter(name => isRemoved(name) && env[name]?.trim())
    .map(name => `${name} is no longer read: ${REMOVED[name]}`)

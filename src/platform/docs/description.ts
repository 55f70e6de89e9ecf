/** The parts of the OpenAPI document that are not operations: introduction, tags and shared components. */
import type { Endpoints } from '../identity-provider/discovery.ts'
import api from './api-version.json'
import { messageHeaders } from './webhooks.ts'

const INTRODUCTION = `The open backend for sports-fan apps.

1. Press **Authorize**, then *signIn* to pick a fan at the identity provider, or paste a token into *bearer*.
2. Open an operation and press **Execute**: its body is filled in with an example.
3. The club’s own systems call the operations under *Server* with a server key: paste one into *serverKey*.

Errors are problem documents (RFC 9457): branch on \`code\`, show \`detail\`, and quote \`requestId\` when you report one.`

/** Tools show them in this order. */
const TAGS = [
  { name: 'User', description: 'The caller’s profile, onboarding and identity.' },
  { name: 'Sign-in', description: 'Native tokens for apps, the devices that hold them, and signing out.' },
  { name: 'Points', description: 'The append-only points ledger.' },
  { name: 'Leaderboard', description: 'Rankings of fans by points earned: all time, by week, and by month.' },
  { name: 'Fans', description: 'Other fans: follow, mute and block them, and privacy.' },
  { name: 'Dashboard', description: 'The home screen in one request.' },
  { name: 'Quests', description: 'Quests, achievements and streaks, which advance with events.' },
  { name: 'Rewards', description: 'Rewards that fans unlock, claim and redeem.' },
  { name: 'Codes', description: 'Codes of campaigns, which fans enter for points and more.' },
  { name: 'Questions', description: 'Polls, quizzes, ratings and live predictions, in which fans vote.' },
  { name: 'Divisions', description: 'Tables of active fans, who rise and fall through levels.' },
  { name: 'Leagues', description: 'Leagues of fans, which they join by a code.' },
  { name: 'Packs', description: 'Collectible packs: buy, open, and prove the draw.' },
  { name: 'Cash', description: 'The cash of a fan with the club: top-ups and payments.' },
  { name: 'Trades', description: 'Trades of items between fans, and gifts.' },
  { name: 'Shop', description: 'The products of the club’s shop.' },
  { name: 'Wallets', description: 'Balances of cash, and linked wallets on blockchains.' },
  { name: 'Consents', description: 'What a fan agrees to, and the documents of the club.' },
  { name: 'Messages', description: 'What the club tells a fan, and which of it a fan wants.' },
  { name: 'Devices', description: 'The devices on which a fan gets pushes.' },
  { name: 'Stream', description: 'Events as they happen (server-sent events).' },
  { name: 'Pictures', description: 'Uploads of avatars, and of pictures of the catalogue.' },
  { name: 'Teams', description: 'The clubs that a fan can follow.' },
  { name: 'Players', description: 'The players of the teams.' },
  { name: 'Seasons', description: 'The seasons of the club.' },
  { name: 'Accounts', description: 'Points that fans keep, and the tiers that they reach with them.' },
  { name: 'Memberships', description: 'Season tickets and other memberships of the fan.' },
  { name: 'Sponsors', description: 'The sponsors of the club.' },
  {
    name: 'Server',
    description:
      'For the club’s own systems, which authenticate with a server key: turnstiles, ticketing, shop, desk.',
  },
  { name: 'Matches', description: 'Fixtures, kick-off times and results.' },
  { name: 'Competitions', description: 'Competitions, with their rules for predictions.' },
  {
    name: 'Webhooks',
    description: 'Webhooks that other systems send to Matchday, and that Matchday sends to them.',
  },
  { name: 'Operations', description: 'For load balancers and operators.' },
]

/** With `endpoints`, Authorize signs in with the provider; without them it takes a pasted token. */
export function describeApi(endpoints: Endpoints | null) {
  return {
    info: {
      title: 'Matchday API',
      version: api.version,
      description: INTRODUCTION,
      contact: { name: 'The maintainers of Matchday' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags: TAGS,
    components: {
      parameters: { IdempotencyKey, IfNoneMatch, ...messageHeaders },
      headers: {
        RequestId: {
          description:
            'Id of the request in the logs: its own `X-Request-Id` if that is valid, else a new one.',
          schema: { type: 'string', examples: ['01981e2c-7c1f-7000-8000-000000000000'] },
        },
        WWWAuthenticate: {
          description: 'RFC 6750 §3: has no `error` if the request has no token.',
          schema: { type: 'string', examples: ['Bearer error="invalid_token"'] },
        },
        ETag: {
          description: 'RFC 9110 §8.8.3: a strong validator, which identifies exactly these bytes.',
          schema: { type: 'string', examples: ['"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'] },
        },
        CacheControl: {
          description: 'RFC 9111: which caches may store the response, and when it must be validated.',
          schema: { type: 'string', examples: ['private, no-cache'] },
        },
        ContentLanguage: {
          description: 'The languages in which the response has texts of the catalogue (BCP 47).',
          schema: { type: 'string', examples: ['pt-BR'] },
        },
        IdempotentReplayed: {
          description:
            '`true` if this is the stored response to the first request with this `Idempotency-Key`.',
          schema: { type: 'string', const: 'true' },
        },
        RetryAfter: {
          description: 'Seconds to wait before trying again.',
          schema: { type: 'integer', minimum: 1 },
        },
      },
      securitySchemes: { ...signIn(endpoints), bearer, serverKey },
    },
  }
}

const bearer = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description:
    'A session token of the identity provider (`bun run token` prints one for development), or a native token of this API.',
}

const serverKey = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'mdk_…',
  description:
    'A server key of one of the club’s own systems, with the scope that the operation requires (`bun run server-keys`; `bun run dev` prints one for development).',
}

function signIn(endpoints: Endpoints | null) {
  if (!endpoints?.authorization || !endpoints.token) return {}
  return {
    signIn: {
      type: 'oauth2',
      description: 'Sign in at the identity provider: authorization code with PKCE.',
      flows: {
        authorizationCode: {
          authorizationUrl: endpoints.authorization,
          tokenUrl: endpoints.token,
          scopes: { openid: 'Who you are', profile: 'Name and picture', email: 'Email address' },
        },
      },
    },
  }
}

const IdempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a repeat safe: for 24 hours, a request with the same key and body returns the response of the first. Use a UUID, for example. Send one header; two are refused with 400, and so is a key that contains a comma followed by a space.',
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^(?!.*, )[ -~]+$',
    examples: ['3f0c2c1e-8f3a-4d7e-9a53-2b1f6f0a7c11'],
  },
}

const IfNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of the response that you stored. The response is 304 if it is current.',
  schema: { type: 'string', examples: ['"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'] },
}

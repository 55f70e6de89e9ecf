/** Tokens and documents from the public documentation of providers; every value is a placeholder. */
import type { JWTPayload } from 'jose'

interface TokenShape {
  header: { alg: string; typ?: string }
  /** `iat` and `exp` are added if missing. */
  claims: JWTPayload
}

export interface ProviderShape {
  /** As in docs/providers/. */
  env: Record<string, string> & { IDP_NAME: string }
  jwksUrl: string
  /** Other documents, by URL. */
  documents: Record<string, unknown>
  good: Record<string, TokenShape>
  /** Tokens with a valid signature that must be refused for their claims. */
  refused: Record<string, TokenShape>
  /** The mirror that a sync with the first good token must write. */
  identity: Record<string, unknown>
}

const RS = { alg: 'RS256' }
const AT = { alg: 'RS256', typ: 'at+jwt' }
const JWT = { alg: 'RS256', typ: 'JWT' }
const ADA = { name: 'Ada Fan', email: 'ada@example.com', email_verified: true }
const ada = { name: 'Ada Fan', email: 'ada@example.com', emailVerified: true }

function keycloak(typ: 'at+jwt' | 'JWT'): ProviderShape {
  const issuer = 'https://login.example.com/realms/fans'
  const endpoints = `${issuer}/protocol/openid-connect`
  const sub = '8f1f0c3a-0000-4000-8000-000000000001'
  const claims = {
    iss: issuer,
    aud: 'matchday-api',
    sub,
    typ: 'Bearer',
    azp: 'matchday-app',
    jti: 'onrtac:1',
    sid: '3d9b1c1e',
    ...ADA,
  }
  const good = { alg: 'RS256', typ }
  return {
    env: {
      IDP_NAME: 'keycloak',
      IDP_ISSUER: issuer,
      IDP_AUDIENCE: 'matchday-api',
      IDP_TOKEN_TYP: typ,
      IDP_REQUIRED_CLAIMS: 'typ=Bearer',
    },
    jwksUrl: `${endpoints}/certs`,
    documents: {
      [`${issuer}/.well-known/openid-configuration`]: {
        issuer,
        jwks_uri: `${endpoints}/certs`,
        userinfo_endpoint: `${endpoints}/userinfo`,
      },
      [`${endpoints}/userinfo`]: { sub, preferred_username: 'ada', ...ADA },
    },
    good: {
      'an access token': { header: good, claims },
      'an access token for several audiences': {
        header: good,
        claims: { ...claims, aud: ['matchday-api', 'account'] },
      },
    },
    refused: {
      'an ID token': { header: JWT, claims: { ...claims, aud: 'matchday-app', typ: 'ID' } },
      'an ID token of a client that is the audience itself': {
        header: JWT,
        claims: { ...claims, typ: 'ID' },
      },
      'an access token without the audience mapper': { header: good, claims: { ...claims, aud: 'account' } },
      'an access token of another realm': { header: good, claims: { ...claims, iss: `${issuer}-of-others` } },
      ...(typ === 'at+jwt' ? { 'an access token without the at+jwt setting': { header: JWT, claims } } : {}),
    },
    identity: ada,
  }
}

function auth0(): ProviderShape {
  const issuer = 'https://example.eu.auth0.com/'
  const sub = 'auth0|6553da60a54af58e29493993'
  const aud = ['https://api.example.com', `${issuer}userinfo`]
  const claims = {
    iss: issuer,
    sub,
    aud,
    client_id: 'K1AUPhZq8mRi0Q0p',
    jti: '73WakrfVbNJBaAmh',
    scope: 'openid profile email',
  }
  const { client_id: azp, jti: _, ...oldProfile } = claims
  const picture = 'https://cdn.example.com/ada.png'
  const userinfo = { sub, nickname: 'ada', picture, updated_at: '2026-03-30T15:13:40.474Z', ...ADA }
  return {
    env: {
      IDP_NAME: 'auth0',
      IDP_ISSUER: issuer,
      IDP_AUDIENCE: 'https://api.example.com',
      IDP_TOKEN_TYP: 'at+jwt',
    },
    jwksUrl: `${issuer}.well-known/jwks.json`,
    documents: {
      [`${issuer}.well-known/openid-configuration`]: {
        issuer,
        jwks_uri: `${issuer}.well-known/jwks.json`,
        userinfo_endpoint: `${issuer}userinfo`,
      },
      [`${issuer}userinfo`]: userinfo,
    },
    good: {
      'an access token of the RFC 9068 profile': { header: AT, claims },
      'the same with PS256': { header: { ...AT, alg: 'PS256' }, claims },
      'one without openid, whose audience is text': {
        header: AT,
        claims: { ...claims, aud: 'https://api.example.com' },
      },
    },
    refused: {
      'an ID token': { header: JWT, claims: { ...userinfo, iss: issuer, aud: azp, nonce: 'x' } },
      'an access token of the Auth0 profile': { header: JWT, claims: { ...oldProfile, azp } },
      'an access token for the Management API': {
        header: AT,
        claims: { ...claims, aud: `${issuer}api/v2/` },
      },
    },
    identity: { ...ada, picture, updatedAt: '2026-03-30T15:13:40.474Z' },
  }
}

function privy(): ProviderShape {
  const jwksUrl = 'https://auth.privy.io/api/v1/apps/your-privy-app-id/jwks.json'
  const header = { alg: 'ES256', typ: 'JWT' }
  const identity = {
    iss: 'privy.io',
    aud: 'your-privy-app-id',
    sub: 'did:privy:cfbsvtqo2c22202mo08847jdux2z',
  }
  const claims = { ...identity, sid: 'clxsession000000000000001' }
  return {
    env: {
      IDP_NAME: 'privy',
      IDP_ISSUER: 'privy.io',
      IDP_AUDIENCE: 'your-privy-app-id',
      IDP_TOKEN_TYP: 'JWT',
      IDP_REQUIRED_CLAIMS: 'sid',
      IDP_JWKS_URL: jwksUrl,
      IDP_USER_DATA: 'token',
    },
    jwksUrl,
    documents: {},
    good: { 'an access token': { header, claims } },
    refused: {
      'an access token of another app': { header, claims: { ...claims, aud: 'another-privy-app-id' } },
      'an identity token': { header, claims: { ...identity, linked_accounts: '[]', custom_metadata: '{}' } },
    },
    identity: { email: null, name: null },
  }
}

function clerk(): ProviderShape {
  const issuer = 'https://clerk.example.com'
  const jwksUrl = `${issuer}/.well-known/jwks.json`
  const base = { iss: issuer, sub: 'user_1deJLArSTiWiF1Yd', jti: '10db7f531a90cb2faea4' }
  const native = {
    ...base,
    sid: 'sess_123',
    v: 2,
    fva: [7, -1],
    sts: 'active',
    ...ADA,
    updated_at: 1_640_104_748,
  }
  const session = { ...native, azp: 'https://app.example.com' }
  return {
    env: {
      IDP_NAME: 'clerk',
      IDP_ISSUER: issuer,
      IDP_AUDIENCE: 'matchday-api',
      IDP_TOKEN_TYP: 'JWT',
      IDP_JWKS_URL: jwksUrl,
      IDP_USER_DATA: 'token',
    },
    jwksUrl,
    documents: {},
    good: {
      'a session token with the added claims': { header: JWT, claims: { ...session, aud: 'matchday-api' } },
      'that of a native app, without azp': { header: JWT, claims: { ...native, aud: 'matchday-api' } },
    },
    refused: {
      'a session token without the added aud': { header: JWT, claims: session },
      'a JWT-template token': { header: JWT, claims: { ...base, azp: session.azp } },
      'a JWT-template token for another service': {
        header: JWT,
        claims: { ...base, aud: 'https://other.example.com' },
      },
      'an OAuth access token': { header: AT, claims: { ...base, client_id: 'oauth-client-id' } },
      'an ID token': { header: JWT, claims: { ...base, aud: 'oauth-client-id', ...ADA } },
    },
    identity: { ...ada, updatedAt: '2021-12-21T16:39:08.000Z' },
  }
}

function firebase(): ProviderShape {
  const project = 'your-project-id'
  const issuer = `https://securetoken.google.com/${project}`
  const jwksUrl = 'https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com'
  const sub = 'qZ1yA0bC2dE3fG4hI5jK6lM7nO82'
  const picture = 'https://cdn.example.com/ada.png'
  const base = { iss: issuer, aud: project, sub, user_id: sub, auth_time: 1_640_104_748, picture, ...ADA }
  const identities = { email: ['ada@example.com'] }
  const claims = { ...base, firebase: { identities, sign_in_provider: 'password' } }
  return {
    env: {
      IDP_NAME: 'firebase',
      IDP_ISSUER: issuer,
      IDP_AUDIENCE: project,
      IDP_TOKEN_TYP: 'JWT',
      IDP_REQUIRED_CLAIMS: 'firebase',
      IDP_JWKS_URL: jwksUrl,
      IDP_USER_DATA: 'token',
    },
    jwksUrl,
    documents: {},
    good: {
      'an ID token': { header: JWT, claims },
      'an ID token of a provider': {
        header: JWT,
        claims: { ...base, firebase: { identities, sign_in_provider: 'google.com' } },
      },
    },
    refused: {
      'an ID token of another project': {
        header: JWT,
        claims: { ...claims, iss: `${issuer}-of-others`, aud: `${project}-of-others` },
      },
      'a session cookie': {
        header: JWT,
        claims: { ...claims, iss: `https://session.firebase.google.com/${project}` },
      },
      'a custom token': {
        header: JWT,
        claims: {
          iss: 'firebase-adminsdk@your-project-id.iam.gserviceaccount.com',
          sub: 'firebase-adminsdk@your-project-id.iam.gserviceaccount.com',
          aud: 'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit',
          uid: sub,
        },
      },
    },
    identity: { ...ada, picture },
  }
}

function supabase(): ProviderShape {
  const issuer = 'https://your-project-ref.supabase.co/auth/v1'
  const jwksUrl = `${issuer}/.well-known/jwks.json`
  const header = { alg: 'ES256', typ: 'JWT' }
  const claims = {
    iss: issuer,
    sub: '123e4567-e89b-12d3-a456-426614174000',
    aud: 'authenticated',
    role: 'authenticated',
    aal: 'aal1',
    session_id: '6fdd7b0c-0000-4000-8000-000000000002',
    email: 'ada@example.com',
    phone: '',
    is_anonymous: false,
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: { name: 'Not verified', email_verified: true },
    amr: [{ method: 'password', timestamp: 1_640_104_748 }],
  }
  const added = { ...claims, ...ADA, updated_at: 1_640_104_748 }
  return {
    env: {
      IDP_NAME: 'supabase',
      IDP_ISSUER: issuer,
      IDP_AUDIENCE: 'authenticated',
      IDP_TOKEN_TYP: 'JWT',
      IDP_REQUIRED_CLAIMS: 'role=authenticated,is_anonymous=false',
      IDP_JWKS_URL: jwksUrl,
      IDP_USER_DATA: 'token',
    },
    jwksUrl,
    documents: {},
    good: {
      'an access token with the claims of the hook': { header, claims: added },
      'an access token': { header, claims },
      'the same with RS256': { header: JWT, claims },
    },
    refused: {
      'a token of an anonymous user': { header, claims: { ...claims, is_anonymous: true } },
      'a key of a service': { header, claims: { ...claims, role: 'service_role' } },
      'a token of another project': {
        header,
        claims: { ...claims, iss: 'https://another-project-ref.supabase.co/auth/v1' },
      },
    },
    identity: { ...ada, updatedAt: '2021-12-21T16:39:08.000Z' },
  }
}

function cognito(): ProviderShape {
  const issuer = 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_EXAMPLE'
  const userinfo = 'https://your-domain.auth.eu-west-1.amazoncognito.com/oauth2/userInfo'
  const sub = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'
  const base = { iss: issuer, sub, jti: 'aaaaaaaa-bbbb-cccc-dddd-000000000003' }
  const claims = {
    ...base,
    version: 2,
    client_id: 'your-app-client-id',
    token_use: 'access',
    username: 'ada',
  }
  const idToken = { ...base, aud: 'your-app-client-id', token_use: 'id', 'cognito:username': 'ada', ...ADA }
  return {
    env: {
      IDP_NAME: 'cognito',
      IDP_ISSUER: issuer,
      IDP_AUDIENCE: 'your-app-client-id',
      IDP_AUDIENCE_CLAIM: 'client_id',
      IDP_TOKEN_TYP: 'none',
      // The second is a number in the token.
      IDP_REQUIRED_CLAIMS: 'token_use=access,version=2',
    },
    jwksUrl: `${issuer}/.well-known/jwks.json`,
    documents: {
      [`${issuer}/.well-known/openid-configuration`]: {
        issuer,
        jwks_uri: `${issuer}/.well-known/jwks.json`,
        userinfo_endpoint: userinfo,
      },
      [userinfo]: { sub, username: 'ada', ...ADA, email_verified: 'true' },
    },
    good: { 'an access token, whose header has no typ': { header: RS, claims } },
    refused: {
      'an ID token': { header: RS, claims: idToken },
      'an ID token with a client_id added by a trigger': {
        header: RS,
        claims: { ...idToken, client_id: 'your-app-client-id', version: 2 },
      },
      'an access token of another app client': {
        header: RS,
        claims: { ...claims, client_id: 'another-client-id' },
      },
    },
    identity: ada,
  }
}

function entra(): ProviderShape {
  const tenant = '11111111-2222-3333-4444-555555555555'
  const api = '66666666-7777-8888-9999-000000000000'
  const login = `https://login.microsoftonline.com/${tenant}`
  const issuer = `${login}/v2.0`
  const userinfo = 'https://graph.microsoft.com/oidc/userinfo'
  const sub = 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ'
  const { email_verified: _, ...profile } = ADA
  const base = { iss: issuer, sub, oid: '00000000-0000-0000-0000-000000000001', tid: tenant, ver: '2.0' }
  const claims = {
    ...{ ...base, ...profile, aud: api, azp: '77777777-0000-0000-0000-000000000000', azpacr: '0' },
    ...{ scp: 'access_as_user', uti: 'LN8VRtrrTU', preferred_username: 'ada@example.com' },
  }
  const { scp: __, preferred_username: ___, name: ____, email: _____, ...ofApp } = claims
  return {
    env: {
      IDP_NAME: 'entra',
      IDP_ISSUER: issuer,
      IDP_AUDIENCE: api,
      IDP_TOKEN_TYP: 'JWT',
      IDP_REQUIRED_SCOPES: 'access_as_user',
      IDP_USER_DATA: 'token',
    },
    jwksUrl: `${login}/discovery/v2.0/keys`,
    documents: {
      [`${issuer}/.well-known/openid-configuration`]: {
        issuer,
        jwks_uri: `${login}/discovery/v2.0/keys`,
        userinfo_endpoint: userinfo,
      },
    },
    good: {
      'an access token of version 2.0': { header: JWT, claims },
      'one with further scopes': { header: JWT, claims: { ...claims, scp: 'access_as_user profile' } },
    },
    refused: {
      'an access token of version 1.0': {
        header: JWT,
        claims: { ...claims, ver: '1.0', iss: `https://sts.windows.net/${tenant}/`, aud: `api://${api}` },
      },
      'an ID token of the app': { header: JWT, claims: { ...base, ...profile, aud: claims.azp, nonce: 'x' } },
      'an ID token of an app that is the API itself': {
        header: JWT,
        claims: { ...base, ...profile, aud: api, nonce: 'x' },
      },
      'a token of an application without a user': {
        header: JWT,
        claims: { ...ofApp, roles: ['access_as_user'], idtyp: 'app' },
      },
      'a token of another tenant': {
        header: JWT,
        claims: {
          ...claims,
          iss: 'https://login.microsoftonline.com/99999999-0000-0000-0000-000000000000/v2.0',
        },
      },
    },
    identity: { name: 'Ada Fan', email: 'ada@example.com', emailVerified: null },
  }
}

function okta(): ProviderShape {
  const domain = 'https://example.okta.com'
  const issuer = `${domain}/oauth2/default`
  const uid = '00ujmkLgagxeRrAg20g3'
  const base = { ver: 1, iss: issuer, sub: 'ada@example.com' }
  const access = {
    ...{ ...base, aud: 'api://default', cid: 'nmdP1fcyvdVO11AL7ECm', uid },
    ...{ jti: 'AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypP', scp: ['openid', 'profile', 'email'] },
  }
  return {
    env: {
      IDP_NAME: 'okta',
      IDP_ISSUER: issuer,
      IDP_AUDIENCE: 'api://default',
      IDP_TOKEN_TYP: 'none',
      IDP_REQUIRED_CLAIMS: 'cid',
      IDP_USER_DATA: 'token',
    },
    jwksUrl: `${issuer}/v1/keys`,
    documents: {
      [`${issuer}/.well-known/openid-configuration`]: {
        issuer,
        jwks_uri: `${issuer}/v1/keys`,
        userinfo_endpoint: `${issuer}/v1/userinfo`,
      },
    },
    good: {
      'an access token with the added claims': {
        header: RS,
        claims: { ...access, name: ADA.name, email: ADA.email },
      },
      'an access token': { header: RS, claims: access },
    },
    refused: {
      'an ID token': { header: RS, claims: { ...base, sub: uid, aud: access.cid, jti: 'ID.rad', ...ADA } },
      'an ID token of an app that is the audience itself': {
        header: RS,
        claims: { ...base, sub: uid, aud: 'api://default', jti: 'ID.rad', ...ADA },
      },
      'an access token of the org authorization server': {
        header: RS,
        claims: { ...access, iss: domain, aud: domain },
      },
      'an access token of another authorization server': {
        header: RS,
        claims: { ...access, iss: `${domain}/oauth2/aus9o8wvkhockw9TL0h7` },
      },
    },
    identity: { name: 'Ada Fan', email: 'ada@example.com', emailVerified: null },
  }
}

export const shapes = {
  Keycloak: keycloak('at+jwt'),
  'Keycloak without the at+jwt setting': keycloak('JWT'),
  Auth0: auth0(),
  Privy: privy(),
  Clerk: clerk(),
  'Firebase Authentication': firebase(),
  'Supabase Auth': supabase(),
  'Amazon Cognito': cognito(),
  'Microsoft Entra ID': entra(),
  Okta: okta(),
}

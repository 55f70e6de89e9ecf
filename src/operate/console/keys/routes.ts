/** The keys with which the club's own systems call the API. */

import { createsValue } from '../../../identity/server-keys/scopes.ts'
import { action, withActions } from '../contract/action.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { issueKey, readServerKeys, revokeKeys, rotateKey } from './change.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

const ofKey = {
  subject: ({ params: { source } }: { params: { source: string } }) => ({ kind: 'server_key', id: source }),
  permission: 'keys.write',
  params: schema.SourceParams,
} as const

const changes = [
  action({
    path: '',
    id: 'createServerKey',
    summary: 'Create a key, which is shown once',
    permission: 'keys.write',
    onePerson: ({ body }) => !body.scopes.some(createsValue),
    body: schema.NewServerKey,
    subject: ({ body: { source } }) => ({ kind: 'server_key', id: source }),
    verb: (tx, { body: { reason: _, ...input } }) => issueKey(tx, input),
    detail: ({ id, scopes, expiresAt }) => ({ id, scopes, expiresAt }),
    answer: schema.IssuedServerKey,
    status: 201,
    problems: thrownBy.createServerKey,
    example: { source: 'turnstiles', scopes: ['events:write'], reason: 'The gates report entries.' },
  }),
  action({
    ...ofKey,
    path: '/:source/rotate',
    id: 'rotateServerKey',
    summary: 'Create a second key, which is shown once; the first is accepted for another 24 hours',
    body: schema.Rotation,
    verb: (tx, { body: { expiresAt }, params: { source } }) => rotateKey(tx, source, expiresAt),
    detail: ({ id, expiresAt }) => ({ id, expiresAt }),
    answer: schema.IssuedServerKey,
    status: 201,
    problems: thrownBy.rotateServerKey,
    example: { reason: 'Every season.' },
  }),
  action({
    ...ofKey,
    path: '/:source/revoke',
    id: 'revokeServerKeys',
    summary: 'Revoke the keys of a source',
    onePerson: 'It removes access.',
    body: schema.Revocation,
    verb: (tx, { body: { keyId }, params: { source } }) => revokeKeys(tx, source, keyId),
    detail: result => result,
    answer: schema.Revoked,
    problems: thrownBy.revokeServerKeys,
    example: { reason: 'The device was stolen.' },
  }),
]

export const keyRoutes = (deps: StaffDeps) =>
  withActions(
    staff(deps, { prefix: '/api/keys', tag: 'Server keys' }).get(
      '',
      () => readServerKeys(deps.db.read),
      consoleOperation({
        id: 'listServerKeys',
        summary: 'List keys with their scopes, state and last use',
        permission: 'keys.read',
        responses: { 200: schema.ServerKeys },
      }),
    ),
    changes,
  )

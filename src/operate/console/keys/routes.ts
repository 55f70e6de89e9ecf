/** The keys with which the club's own systems call the API. */
import { transportProblems } from '../../../core/transport-problems.ts'
import { createsValue } from '../../../identity/server-keys/scopes.ts'
import { consoleOperation } from '../contract/operation.ts'
import { staff } from '../contract/staff.ts'
import type { ConsoleDeps } from '../deps.ts'
import { issueKey, readServerKeys, revokeKeys, rotateKey } from './change.ts'
import { keyProblems } from './problems.ts'
import * as schema from './schema.ts'

const subject = (source: string) => ({ kind: 'server_key', id: source })

export const keyRoutes = (deps: ConsoleDeps) =>
  staff(deps, { prefix: '/api/keys', tag: 'Server keys' })
    .get(
      '',
      () => readServerKeys(deps.db.read),
      consoleOperation({
        id: 'listServerKeys',
        summary: 'List keys with their scopes, state and last use',
        permission: 'keys.read',
        responses: { 200: schema.ServerKeys },
      }),
    )
    .post(
      '',
      ({ body: { reason, ...input }, act, set }) => {
        set.status = 201
        return act(subject(input.source), reason, tx => issueKey(tx, input), {
          detail: ({ id, scopes, expiresAt }) => ({ id, scopes, expiresAt }),
        })
      },
      consoleOperation({
        id: 'createServerKey',
        summary: 'Make a key, which is shown once',
        permission: 'keys.write',
        onePerson: ({ body }) => !body.scopes.some(createsValue),
        body: schema.NewServerKey,
        responses: { 201: schema.IssuedServerKey },
        problems: [keyProblems.server_key_exists, transportProblems.validation_failed],
        examples: {
          body: { source: 'turnstiles', scopes: ['events:write'], reason: 'The gates report entries.' },
        },
      }),
    )
    .post(
      '/:source/rotate',
      ({ params: { source }, body: { expiresAt, reason }, act, set }) => {
        set.status = 201
        return act(subject(source), reason, tx => rotateKey(tx, source, expiresAt), {
          detail: ({ id, expiresAt }) => ({ id, expiresAt }),
        })
      },
      consoleOperation({
        id: 'rotateServerKey',
        summary: 'Make a second key, shown once; the first works for another 24 hours',
        permission: 'keys.write',
        params: schema.SourceParams,
        body: schema.Rotation,
        responses: { 201: schema.IssuedServerKey },
        problems: [keyProblems.server_key_not_found, transportProblems.validation_failed],
        examples: { body: { reason: 'Every season.' } },
      }),
    )
    .post(
      '/:source/revoke',
      ({ params: { source }, body: { keyId, reason }, act }) =>
        act(subject(source), reason, tx => revokeKeys(tx, source, keyId), { detail: result => result }),
      consoleOperation({
        id: 'revokeServerKeys',
        summary: 'Refuse the keys of a source from now on',
        permission: 'keys.write',
        onePerson: 'It takes a key away.',
        params: schema.SourceParams,
        body: schema.Revocation,
        responses: { 200: schema.Revoked },
        problems: [keyProblems.server_key_not_found],
        examples: { body: { reason: 'The device was stolen.' } },
      }),
    )

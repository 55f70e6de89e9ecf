import type { RotatingEncryption } from '../../core/encryption.ts'
import { Type } from '../../core/typebox.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import type { Config } from '../../platform/config/config.ts'
import { Nothing, operation } from '../../platform/http/contract/operation.ts'
import { listDevices, putDevice, removeDevice } from './devices.ts'
import * as schema from './schema.ts'

type DeviceDeps = FanDeps & { config: Config; deviceEncryption: RotatingEncryption }

export const devicesRoutes = (deps: DeviceDeps) =>
  fans(deps, { prefix: '/api/user/devices', tag: 'Devices' })
    .get(
      '',
      async ({ caller }) => ({
        devices: await listDevices(deps.db.read, caller),
        vapidPublicKey: deps.config.push.vapid?.publicKey ?? null,
      }),
      operation({
        id: 'listDevices',
        summary: 'List your devices',
        description: 'Where you get pushes, and the key with which a browser subscribes.',
        responses: { 200: schema.Devices },
        examples: {
          200: {
            devices: [schema.exampleDevice],
            vapidPublicKey: schema.exampleInput.subscription.keys.p256dh,
          },
        },
      }),
    )
    .put(
      '/:deviceId',
      ({ body, params, status, write }) =>
        write(
          async (tx, fan) => {
            const registering = { ...deps, production: deps.config.production }
            const { created, device } = await putDevice(tx, registering, fan, params.deviceId, body)
            return status(created ? 201 : 200, device)
          },
          { toCount: true },
        ),
      operation({
        id: 'registerDevice',
        summary: 'Register a device',
        description:
          'Apps send it at each start, since tokens change. A token that another fan has registered moves to you. With more than 20 devices, the one that was used least recently is removed.',
        params: schema.DeviceParams,
        body: schema.DeviceInput,
        responses: { 200: schema.Device, 201: schema.Device },
        examples: { body: schema.exampleInput, 200: schema.exampleDevice, 201: schema.exampleDevice },
      }),
    )
    .delete(
      '/:deviceId',
      ({ params, status, write }) =>
        write(async (tx, { userId }) => {
          await removeDevice(tx, userId, params.deviceId)
          return status(204, undefined)
        }),
      operation({
        id: 'removeDevice',
        idempotencyKey: 'none',
        whenSuspended: 'allowed',
        summary: 'Remove a device',
        description: 'It gets no more pushes. Also succeeds if you have no such device.',
        params: schema.DeviceParams,
        body: Nothing,
        responses: { 204: Type.Void({ description: 'You have no such device.' }) },
      }),
    )

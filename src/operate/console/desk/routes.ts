/** The desk, where fans show redemption codes and vouchers. */

import { DomainError } from '../../../core/problems.ts'
import { type CodeSource, useRedemption } from '../../../play/rewards/redemptions.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import {
  CONSOLE_SOURCE,
  codeSubject,
  lookUpCode,
  presentCode,
  USE_OPERATION,
  wasUsedByRequest,
} from './codes.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

type DeskDeps = StaffDeps & { codeSources: readonly CodeSource[] }

export const deskRoutes = (deps: DeskDeps) => {
  const { db, codeSources } = deps
  return staff(deps, { prefix: '/api/desk/codes', tag: 'Desk' })
    .get(
      '/:code',
      ({ params, staff }) => lookUpCode(db.read, codeSources, staff, params.code),
      consoleOperation({
        id: 'lookUpCode',
        summary: 'Look at a redemption code or a voucher',
        permission: 'desk.use',
        params: schema.CodeParams,
        responses: { 200: schema.DeskCode },
        problems: thrownBy.lookUpCode,
      }),
    )
    .post(
      '/:code/use',
      async ({ act, body: { requestId }, params: { code }, staff }) => {
        try {
          const used = await act(
            codeSubject(code),
            undefined,
            tx => useRedemption(tx, codeSources, CONSOLE_SOURCE, code),
            {
              detail: ({ fan, reward, order }) => ({
                requestId,
                fanId: fan.id,
                orderId: order?.id ?? null,
                [order === null ? 'rewardId' : 'productId']: reward.id,
              }),
            },
          )
          return { ...(await presentCode(db.read, staff, used)), repeated: false }
        } catch (error) {
          if (!(error instanceof DomainError) || error.code !== 'already_used') throw error
          const found = await lookUpCode(db.read, codeSources, staff, code)
          // After the use was undone, a system of the club may have used the code.
          const isOwn = found.use?.byYou && (await wasUsedByRequest(db.read, staff, code, requestId))
          if (!isOwn) throw error
          return { ...found, repeated: true }
        }
      },
      consoleOperation({
        id: USE_OPERATION,
        summary: 'Use a code, once',
        description: 'If several desks use the same code at the same time, one succeeds.',
        permission: 'desk.use',
        reversible: 'undo the use, at the desk or on the page of the fan',
        params: schema.CodeParams,
        body: schema.UseCode,
        responses: { 200: schema.UsedCode },
        problems: thrownBy.useCode,
        examples: { body: { requestId: '5f0c6d1e-7a53-4b5c-9d0e-3d5f6b1c2a90' } },
      }),
    )
}

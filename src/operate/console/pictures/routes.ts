/**
 * Uploaded pictures on the origin of the console: a page that shows one sends nothing to another address. Only files of the
 * store are served, by their ids, so that no request of the server follows from what a fan has written.
 */
import { isFileShown } from '../../../club/pictures/owned.ts'
import { respondWithFile } from '../../../club/pictures/read-file.ts'
import type { PictureStore } from '../../../club/pictures/store.ts'
import { DomainError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import { fileIdIn } from '../../../core/uploaded-url.ts'
import { mayDo } from '../../../identity/staff/roles.ts'
import type { Staff } from '../../../identity/staff/staff.ts'
import { findUserById } from '../../../identity/users/users.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { thrownBy } from './problems.generated.ts'
import { FaceParams, NoPicture, PictureParams, StoredPicture } from './schema.ts'

interface PicturesDeps extends StaffDeps {
  pictureStore: PictureStore | null
}

const OWN = { cache: 'private', sharedWith: 'same-origin' } as const

/** A picture that moderators have hidden is for those who read cases. */
const mayShow = async ({ db }: PicturesDeps, { role }: Staff, fileId: string) =>
  mayDo(role, 'moderation.read') || (await isFileShown(db.read, fileId))

export const pictureRoutes = (deps: PicturesDeps) =>
  staff(deps, { prefix: '/api/pictures', tag: 'Pictures' })
    .get(
      '/:pictureId',
      async ({ params: { pictureId }, request, staff }) => {
        if (!(await mayShow(deps, staff, pictureId))) throw new DomainError(transportProblems.not_found)
        // Guarantee of the cast: the schema describes the bytes of the file.
        return (await respondWithFile(deps, pictureId, request, OWN)) as never
      },
      consoleOperation({
        id: 'readPicture',
        summary: 'Read an uploaded picture',
        permission: 'session.own',
        params: PictureParams,
        responses: { 200: StoredPicture },
        problems: thrownBy.readPicture,
      }),
    )
    .get(
      '/fans/:fanId',
      async ({ params: { fanId }, request, staff }) => {
        const fan = await findUserById(deps.db.read, fanId)
        const fileId = fileIdIn(fan?.avatarUrl ?? '')
        const isShown = fileId !== null && (await mayShow(deps, staff, fileId))
        const response = isShown
          ? await respondWithFile(deps, fileId, request, OWN)
          : new Response(null, { status: 204 })
        response.headers.set('Cache-Control', 'private, max-age=300')
        // Guarantee of the cast: as above.
        return response as never
      },
      consoleOperation({
        id: 'readFace',
        summary: 'Read the uploaded picture of a fan',
        description:
          'Without a body if there is none, or if its address is on another site: that is not read.',
        permission: 'fans.read',
        params: FaceParams,
        responses: { 200: StoredPicture, 204: NoPicture },
        problems: thrownBy.readFace,
      }),
    )

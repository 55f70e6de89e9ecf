/**
 * Pictures on the origin of the console: a page that shows one sends nothing to another address. Uploaded ones are served by
 * their ids, and the provider's are read by the server, so that no request of it follows from what a fan has written.
 */
import type { EncodePicture } from '../../../club/pictures/encode.ts'
import { isFileShown } from '../../../club/pictures/owned.ts'
import { pictureHeaders, respondWithFile } from '../../../club/pictures/read-file.ts'
import type { PictureStore } from '../../../club/pictures/store.ts'
import { DomainError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import { fileIdIn } from '../../../core/uploaded-url.ts'
import { mayDo } from '../../../identity/staff/roles.ts'
import type { Staff } from '../../../identity/staff/staff.ts'
import { findMirror } from '../../../identity/users/mirror.ts'
import { findUserById, isErased, type User } from '../../../identity/users/users.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { createFaces } from './faces.ts'
import { thrownBy } from './problems.generated.ts'
import { FaceParams, FaceQuery, NoPicture, PictureParams, StoredPicture } from './schema.ts'

interface PicturesDeps extends StaffDeps {
  pictureStore: PictureStore | null
  encodePicture: EncodePicture
}

const OWN = { cache: 'private', sharedWith: 'same-origin' } as const

/** A picture that moderators have hidden is for those who read cases. */
const mayShow = async ({ db }: PicturesDeps, { role }: Staff, fileId: string) =>
  mayDo(role, 'moderation.read') || (await isFileShown(db.read, fileId))

/** What the provider states for a fan without an own picture; null for an erased fan, whose mirror is empty. */
async function statedPicture({ db }: PicturesDeps, fan: User, { role }: Staff): Promise<string | null> {
  const mayRead = !isErased(fan) && (fan.hiddenAt === null || mayDo(role, 'moderation.read'))
  return mayRead ? ((await findMirror(db.read, fan.id))?.picture ?? null) : null
}

async function respondWithFace(face: Promise<Uint8Array<ArrayBuffer> | null>): Promise<Response> {
  const bytes = await face
  if (bytes === null) return new Response(null, { status: 204 })
  return new Response(bytes, { headers: { ...pictureHeaders('same-origin'), 'Content-Type': 'image/webp' } })
}

export const pictureRoutes = (deps: PicturesDeps) => {
  const faces = createFaces(deps)
  return staff(deps, { prefix: '/api/pictures', tag: 'Pictures' })
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
      async ({ params: { fanId }, query: { stated: asked }, request, staff }) => {
        const fan = await findUserById(deps.db.read, fanId)
        const own = asked === undefined ? (fan?.avatarUrl ?? null) : null
        const fileId = fileIdIn(own ?? '')
        const isShown = fileId !== null && (await mayShow(deps, staff, fileId))
        const current = fan && own === null ? await statedPicture(deps, fan, staff) : null
        // What a request names is compared, and never read.
        const stated = asked === undefined || asked === current ? current : null
        const response = isShown
          ? await respondWithFile(deps, fileId, request, OWN)
          : await respondWithFace(faces(fanId, stated))
        response.headers.set('Cache-Control', 'private, max-age=300')
        // Guarantee of the cast: as above.
        return response as never
      },
      consoleOperation({
        id: 'readFace',
        summary: 'Read the picture of a fan',
        description:
          'The uploaded one, or the one that the identity provider states, encoded again. Without a body if there is none, or if the fan has named one of another site: that is not read.',
        permission: 'fans.read',
        params: FaceParams,
        query: FaceQuery,
        responses: { 200: StoredPicture, 204: NoPicture },
        problems: thrownBy.readFace,
      }),
    )
}

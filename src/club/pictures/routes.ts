import { fansOrServers } from '../../identity/auth/fans-or-servers.ts'
import type { FanDeps } from '../../identity/auth/groups.ts'
import type { ServerDeps } from '../../identity/server-keys/group.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { thrownBy } from './problems.generated.ts'
import { examplePicture, MAX_UPLOAD_BYTES, Picture, PictureUpload } from './schema.ts'
import { addPicture, MAX_SIDE, type PictureDeps, requireMayUpload, storeFile } from './upload.ts'

export const picturesRoutes = (deps: FanDeps & ServerDeps & PictureDeps) =>
  fansOrServers(deps, { prefix: '/api/uploads', tag: 'Pictures', scope: 'uploads:write' }).post(
    '',
    ({ body, caller, source, status, write }) =>
      write(
        async (tx, fan, file) => {
          const owner = fan ? { userId: fan.userId } : { source: source ?? '' }
          return status(201, await addPicture(tx, owner, file))
        },
        {
          prepare: async () => {
            if (!caller) return storeFile(deps, body, MAX_SIDE.catalogue)
            await requireMayUpload(deps.db, caller)
            return storeFile(deps, body, MAX_SIDE.avatar, `${caller.provider} ${caller.subject}`)
          },
        },
      ),
    operation({
      id: 'uploadPicture',
      summary: 'Upload a picture',
      description:
        'The body is the file itself. A fan uploads an avatar, stored within 512 × 512 pixels, and then writes `url` to `avatarUrl` of the profile. A system of the club uploads a picture of the catalogue, stored within 1600 × 1600 pixels. The stored file is a WebP without metadata. A picture that nothing uses is deleted a day after its upload.',
      body: PictureUpload,
      responses: { 201: Picture },
      problems: thrownBy.uploadPicture,
      limit: 'uploads',
      maxBodyBytes: MAX_UPLOAD_BYTES,
      examples: { 201: examplePicture },
    }),
  )

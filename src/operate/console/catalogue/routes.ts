/** The catalogue editor: lists, drafts, changes, history and previews. */
import type { Author } from '../../../club/catalogue/history.ts'
import { MAX_UPLOAD_BYTES, Picture, PictureUpload } from '../../../club/pictures/schema.ts'
import { addPicture, MAX_SIDE, type PictureDeps, storeFile } from '../../../club/pictures/upload.ts'
import type { Cursors } from '../../../core/pagination.ts'
import type { TSchema } from '../../../core/typebox.ts'
import { mayDo } from '../../../identity/staff/roles.ts'
import type { Staff } from '../../../identity/staff/staff.ts'
import { entryKinds } from '../../../play/catalogue-file/kinds.ts'
import { listEventTypes } from '../../admin/event-types.ts'
import { action, withActions } from '../contract/action.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { csvFile } from '../contract/text-file.ts'
import { planEntry, restoreEntry, restoresValue, saveEntry, savesValue, switchEntry } from './change-entry.ts'
import { listEntries, listKinds, readEntry, readSchema } from './entries.ts'
import { compareRevisions, listHistory } from './history.ts'
import { readNamed } from './named.ts'
import { previewSegment } from './preview-segment.ts'
import { previewEntry } from './previews.ts'
import { thrownBy } from './problems.generated.ts'
import { openSegmentCsv, readCampaign } from './reports.ts'
import * as schema from './schema.ts'

type CatalogueDeps = StaffDeps & PictureDeps & { cursors: Cursors }

/** A pack may have a thousand items in several languages. */
const MAX_ENTRY_BYTES = 4 * 1024 * 1024
/** Source of pictures that staff upload: see `addPicture`. */
const SOURCE = 'console'

const authorOf = ({ id, name }: Staff, reason: string): Author => ({
  source: 'console',
  staff: { id, name },
  reason,
})

const entry = { id: 'home-scarf', name: 'Home scarf' }
const reason = 'For the new season.'

/** Changes of one entry: what is saved is in its history as well. */
const ofEntry = {
  subject: ({ params: { kind, entryId } }: { params: { kind: string; entryId: string } }) => ({
    kind,
    id: entryId,
  }),
  permission: 'catalogue.write',
  params: schema.EntryParams,
  answer: schema.Saved,
} as const

const changes = [
  action({
    ...ofEntry,
    method: 'PUT',
    path: '/:kind/entries/:entryId',
    id: 'saveCatalogueEntry',
    summary: 'Save an entry',
    onePerson: async ({ body, params, reader }) => !(await savesValue(reader, params, body.entry)),
    body: schema.SaveEntry,
    open: true,
    maxBodyBytes: MAX_ENTRY_BYTES,
    verb: (tx, { body, params, staff }) => saveEntry(tx, params, body, authorOf(staff, body.reason)),
    detail: saved => saved,
    problems: thrownBy.saveCatalogueEntry,
    example: { entry, revision: 3, reason },
  }),
  action({
    ...ofEntry,
    path: '/:kind/entries/:entryId/activation',
    id: 'switchCatalogueEntry',
    summary: 'Activate or deactivate an entry',
    onePerson: ({ body, params }) => !body.active || !entryKinds[params.kind].givesValue,
    body: schema.SwitchEntry,
    verb: (tx, { body, params, staff }) => switchEntry(tx, params, body, authorOf(staff, body.reason)),
    detail: (saved, { body: { active } }) => ({ ...saved, active }),
    problems: thrownBy.switchCatalogueEntry,
    example: { active: false, revision: 3, reason },
  }),
  action({
    ...ofEntry,
    path: '/:kind/entries/:entryId/restore',
    id: 'restoreCatalogueEntry',
    summary: 'Restore a revision of an entry',
    onePerson: async ({ body, params, reader }) => !(await restoresValue(reader, params, body.restore)),
    body: schema.RestoreEntry,
    verb: (tx, { body, params, staff }) => restoreEntry(tx, params, body, authorOf(staff, body.reason)),
    detail: (saved, { body: { restore } }) => ({ ...saved, restored: restore }),
    problems: thrownBy.restoreCatalogueEntry,
    example: { restore: 1, revision: 3, reason },
  }),
]

export const catalogueRoutes = (deps: CatalogueDeps) => {
  const { read } = deps.db
  const group = staff(deps, { prefix: '/api/catalogue', tag: 'Catalogue' })
    .get(
      '',
      () => listKinds(read),
      consoleOperation({
        id: 'listCatalogueKinds',
        summary: 'List the kinds of entries',
        permission: 'catalogue.read',
        responses: { 200: schema.Kinds },
      }),
    )
    .get(
      '/:kind',
      ({ params, query }) => listEntries({ ...deps, read }, params.kind, query),
      consoleOperation({
        id: 'listCatalogueEntries',
        summary: 'List the entries of a kind',
        permission: 'catalogue.read',
        params: schema.KindParams,
        query: schema.EntriesQuery,
        responses: { 200: schema.Entries },
        problems: thrownBy.listCatalogueEntries,
      }),
    )
    .get(
      '/rule/event-types',
      async () => ({ types: await listEventTypes(read) }),
      consoleOperation({
        id: 'listEventTypes',
        summary: 'List types of events with the members of their data, for rules and quests',
        permission: 'catalogue.read',
        responses: { 200: schema.EventTypes },
      }),
    )
    .get(
      '/named',
      ({ query }) => readNamed(read, query),
      consoleOperation({
        id: 'readNamedEntries',
        summary: 'Read what a draft names, as fans see it, for its preview',
        permission: 'catalogue.read',
        query: schema.NamedQuery,
        responses: { 200: schema.Named },
      }),
    )
    .get(
      '/:kind/schema',
      ({ params }) => readSchema(read, params.kind, deps.config.defaultLanguage),
      consoleOperation({
        id: 'readCatalogueSchema',
        summary: 'Read the JSON Schema of a kind',
        permission: 'catalogue.read',
        params: schema.KindParams,
        responses: { 200: schema.EntrySchema },
      }),
    )
    .post(
      '/:kind/plan',
      ({ params, body }) => planEntry(read, params.kind, body),
      consoleOperation({
        id: 'planCatalogueEntry',
        summary: 'Show what saving an entry would change',
        permission: 'catalogue.write',
        onePerson: 'It writes nothing.',
        reversible: 'It writes nothing.',
        params: schema.KindParams,
        body: schema.Draft,
        open: true,
        data: 'read',
        maxBodyBytes: MAX_ENTRY_BYTES,
        responses: { 200: schema.Plan },
        problems: thrownBy.planCatalogueEntry,
        examples: { body: { entry } },
      }),
    )
    .post(
      '/rule/preview',
      ({ body }) => asLines(previewEntry({ read, log: deps.log }, 'rule', body)),
      preview('Rule', 'points', schema.RulePreview),
    )
    .post(
      '/quest/preview',
      ({ body }) => asLines(previewEntry({ read, log: deps.log }, 'quest', body)),
      preview('Quest', 'completions', schema.QuestPreview),
    )
    .post(
      '/segment/preview',
      ({ body, staff: { role } }) => previewSegment(read, body.entry, mayDo(role, 'fans.read')),
      consoleOperation({
        id: 'previewSegment',
        summary: 'Count the fans of the draft of a segment, and show where it is used',
        permission: 'catalogue.write',
        onePerson: 'It writes nothing.',
        reversible: 'It writes nothing.',
        body: schema.Draft,
        open: true,
        data: 'read',
        responses: { 200: schema.SegmentPreview },
        examples: { body: { entry: { ...entry, when: [{ fact: 'checkIns', op: 'gte', value: 5 }] } } },
      }),
    )
    .post(
      '/segment/entries/:entryId/export',
      async ({ act, body: { reason }, params: { entryId: id } }) => {
        const pieces = await openSegmentCsv(read, id)
        await act({ kind: 'segment', id }, reason, async () => {})
        return csvFile(`segment-${id}-${read.now().toISOString().slice(0, 10)}.csv`, pieces)
      },
      consoleOperation({
        id: 'exportSegment',
        summary: 'Export the fans of a segment, as CSV',
        permission: 'fans.export',
        onePerson: 'It gives nothing.',
        reversible: 'It writes nothing.',
        params: schema.NamedEntryParams,
        body: schema.ExportSegment,
        responses: { 200: schema.SegmentCsv },
        problems: thrownBy.exportSegment,
        examples: { body: { reason: 'A letter to the holders of season tickets.' } },
      }),
    )
    .get(
      '/campaign/entries/:entryId/report',
      ({ params }) => readCampaign(read, params.entryId),
      consoleOperation({
        id: 'readCampaignReport',
        summary: 'Read how a campaign of codes runs',
        permission: 'catalogue.read',
        params: schema.NamedEntryParams,
        responses: { 200: schema.CampaignReport },
        problems: thrownBy.readCampaignReport,
      }),
    )
    .get(
      '/:kind/entries/:entryId',
      ({ params }) => readEntry(read, params.kind, params.entryId, deps.config.defaultLanguage),
      consoleOperation({
        id: 'readCatalogueEntry',
        summary: 'Read an entry with its schema and its revision',
        permission: 'catalogue.read',
        params: schema.EntryParams,
        responses: { 200: schema.ShownEntry },
        problems: thrownBy.readCatalogueEntry,
      }),
    )
    .get(
      '/:kind/entries/:entryId/history',
      ({ params, query }) => listHistory({ ...deps, read }, params, query),
      consoleOperation({
        id: 'listCatalogueHistory',
        summary: 'List the revisions of an entry, newest first',
        permission: 'catalogue.read',
        params: schema.EntryParams,
        query: schema.HistoryQuery,
        responses: { 200: schema.History },
        problems: thrownBy.listCatalogueHistory,
      }),
    )
    .get(
      '/:kind/entries/:entryId/history/:revision',
      ({ params, query }) => compareRevisions(read, params, query),
      consoleOperation({
        id: 'readCatalogueRevision',
        summary: 'Read a revision and its differences from an older one',
        permission: 'catalogue.read',
        params: schema.RevisionParams,
        query: schema.CompareQuery,
        responses: { 200: schema.Compared },
        problems: thrownBy.readCatalogueRevision,
      }),
    )
    .post(
      '/pictures',
      async ({ body, act, status }) => {
        const file = await storeFile(deps, body, MAX_SIDE.catalogue)
        // never picture_quota_reached, picture_hidden: they are for fans.
        const picture = await act({ kind: 'picture', id: file.id }, undefined, tx =>
          addPicture(tx, { source: SOURCE }, file),
        )
        return status(201, picture)
      },
      consoleOperation({
        id: 'uploadCataloguePicture',
        summary: 'Upload a picture of an entry',
        permission: 'catalogue.write',
        onePerson: 'It gives nothing.',
        reversible: 'A picture that no entry uses is deleted a day later.',
        body: PictureUpload,
        maxBodyBytes: MAX_UPLOAD_BYTES,
        responses: { 201: Picture },
        problems: thrownBy.uploadCataloguePicture,
        examples: { body: {} },
      }),
    )
  return withActions(group, changes)
}

const preview = <Line extends TSchema>(kind: 'Rule' | 'Quest', what: string, Line: Line) =>
  consoleOperation({
    id: `preview${kind}`,
    summary: `Show which ${what} a draft would have given`,
    description:
      'Lines of JSON: `{"progress": {events, share}}` while it runs, then `{"result": …}`. It ends when the connection closes.',
    permission: 'catalogue.write',
    onePerson: 'It writes nothing.',
    reversible: 'It writes nothing.',
    body: schema.PreviewDraft,
    open: true,
    data: 'read',
    responses: { 200: Line },
    problems: thrownBy.preview,
    examples: { body: { entry, days: 30 } },
  })

/** Guarantee of the cast: a response is sent as it is; the schema is of a line, for the document. */
const asLines = (lines: ReadableStream<Uint8Array>) =>
  new Response(lines, {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  }) as never

/** What the actions need to know of a fan: `GET /api/fans/{fanId}` has it. */
export interface ActionFan {
  id: string
  handle: string | null
  displayName: string | null
  erasedAt: string | null
  mergedIntoId: string | null
  points: { balance: number }
  cash: { currency: string; available: number }[]
}

export interface ActionProps {
  fan: ActionFan
  /** Closes the dialog, also after success. */
  onClose: () => unknown
  /** The fan has changed: read it again. */
  onDone: () => unknown
}

export const nameOf = ({ displayName, handle, id }: ActionFan) =>
  displayName ?? (handle === null ? id : `@${handle}`)

/** What a person types to confirm that they mean this fan. */
export const typedNameOf = ({ handle, id }: ActionFan) => handle ?? id

export const pathOf = ({ id }: Pick<ActionFan, 'id'>, action: string) =>
  `/api/fans/${encodeURIComponent(id)}/${action}`

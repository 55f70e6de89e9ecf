/** Checks one entry from a program as the import checks a file: schema, and rules. */
import { withoutNullMembers } from '../../club/catalogue/null-members.ts'
import { explainFault, MAX_ERRORS, shorten } from '../../core/faults.ts'
import { errorsWithin } from '../../core/formats.ts'
import { DomainError, type FieldError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { ValueErrorType } from '../../core/typebox.ts'
import { type CatalogueRecord, kindNamed, type RecordKind, recordFaults, recordOf } from './kinds.ts'

/** The record of a value. Pointers lead into the entry. @throws DomainError `validation_failed` */
export function parseRecord(kind: RecordKind, value: unknown): CatalogueRecord {
  const record = recordOf(kind, withoutNullMembers(kindNamed(kind).schema, value))
  refuseInvalid(schemaErrors(kind, record.entry))
  refuseInvalid(recordFaults(record))
  return record
}

function schemaErrors(kind: RecordKind, value: unknown): FieldError[] {
  const byPlace = new Map<string, FieldError>()
  for (const error of errorsWithin(kindNamed(kind).schema, value)) {
    const pointer = shorten(error.path)
    const isUnknown = error.type === ValueErrorType.ObjectAdditionalProperties
    const message = isUnknown ? 'is unknown' : explainFault(error)
    // The first error of a field is the most specific one.
    if (!byPlace.has(pointer)) byPlace.set(pointer, { pointer, message })
  }
  return [...byPlace.values()]
}

function refuseInvalid(errors: FieldError[]): void {
  if (errors.length > 0)
    throw new DomainError(transportProblems.validation_failed, { errors: errors.slice(0, MAX_ERRORS) })
}

/**
 * TypeBox. `src` and `scripts` import it only here, so that a change of the version or library affects only
 * this file.
 */
export {
  FormatRegistry,
  type ObjectOptions,
  type SchemaOptions,
  type Static,
  type TLiteral,
  type TNull,
  type TObject,
  type TOptional,
  type TProperties,
  TransformKind,
  type TSchema,
  type TUnion,
  type TUnsafe,
  Type,
} from '@sinclair/typebox'
export { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
export { Value } from '@sinclair/typebox/value'

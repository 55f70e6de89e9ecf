/** One member of `requires`: its form in catalogues, its form for fans, and its check. Each has its own file. */
import type { Reader } from '../../../db/index.ts'
import type { EntryFault } from '../../club/catalogue/entry.ts'
import type { IsStated } from '../../club/catalogue/kind.ts'
import type { Viewer } from '../../core/caller.ts'
import type { DomainError, ProblemType } from '../../core/problems.ts'
import type { Static, TSchema } from '../../core/typebox.ts'

/** The fan who must meet it. */
export interface Candidate extends Viewer {
  /** The country of an order that is shipped. Otherwise that of the profile counts. */
  shippingCountry?: string | undefined
}

/** The stated requirement of an entry. */
interface Asked<Stated> {
  stated: Stated
  /** For a cart: the product, which the problem names. */
  productId?: string | undefined
}

export interface Requirement<
  Member extends string = string,
  Entry extends TSchema = TSchema,
  Shown extends TSchema = TSchema,
  Problem extends ProblemType = ProblemType,
  Result extends DomainError<Problem> | null = DomainError<Problem> | null,
> {
  member: Member
  /** For documents and forms: `entry` of the catalogue, `shown` of responses. */
  describe: { entry: Entry; shown: Shown }
  /** The form in which it is stored and shown. Default: as it is stated. */
  normalize?(stated: Static<Entry>): Static<Entry>
  /** What `check` may return, in this order. */
  problems: readonly Problem[]
  /**
   * For each of `asked` the problem of a fan who does not meet it. Of entries that a list shows, all at once. In a unit of work it
   * locks the rows that decide, except those that only grow. An unknown fact does not meet a requirement. What only another system
   * knows is not asked here: the problem has `prepare`, which is called outside of a unit of work, before this runs again.
   */
  check(reader: Reader, candidate: Candidate, asked: Asked<Static<Entry>>[]): Promise<Result[]>
  /** `check` locks the ledgers of the fan in a unit of work. */
  locksLedgers?: boolean
  /** The rules of an entry that the schema cannot express. Pointers lead into the member. */
  findFaults?(stated: Static<Entry>): EntryFault[]
  /** What it names must be in the catalogue, or in the same file. */
  findUnknown?(reader: Reader, stated: Static<Entry>, isStated: IsStated): Promise<EntryFault[]>
}

type CodeOf<Result> = Result extends DomainError<infer Type> ? Type['code'] : never

/** Infers the type of a requirement. A listed problem that `check` never returns does not compile, nor one that is not listed. */
export const defineRequirement = <
  const Member extends string,
  Entry extends TSchema,
  Shown extends TSchema,
  Problem extends ProblemType,
  Result extends DomainError<Problem> | null,
>(
  requirement: Requirement<Member, Entry, Shown, Problem, Result> & {
    problems: Problem['code'] extends CodeOf<Result> ? unknown : 'never returned'
  },
): Requirement<Member, Entry, Shown, Problem> => requirement

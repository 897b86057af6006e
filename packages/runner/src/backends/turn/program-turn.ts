import type { Turn, TurnError, TurnRequest } from '../backend.ts'
import { TurnCourse, type OpenSession, type TurnContext } from './turn-course.ts'

/** A turn of a program with a session. Its course is the same for every program; how to talk to it is not. */
export abstract class ProgramTurn<Session extends OpenSession> implements Turn {
  protected readonly course: TurnCourse<Session>

  constructor(request: TurnRequest, context: TurnContext<Session>) {
    // The course calls these only after the opening, when the subclass is complete.
    this.course = new TurnCourse(request, context, {
      begin: (session, text) => this.begin(session, text),
      cancel: (session) => this.cancel(session),
      cleanUp: (session) => this.cleanUp(session),
    })
  }

  get events(): Turn['events'] {
    return this.course.record.events
  }

  get result(): Turn['result'] {
    return this.course.record.result
  }

  get isOver(): boolean {
    return this.course.record.isOver
  }

  interrupt(): Promise<void> {
    return this.course.interrupt()
  }

  /** The program exited unexpectedly. */
  fail(error: TurnError): void {
    this.course.fail(error)
  }

  kill(): void {
    this.course.kill()
  }

  abstract steer(text: string): Promise<boolean>

  /** Makes the program execute this. The program reports progress to the course. */
  protected abstract begin(session: Session, text: string): Promise<void>

  /** Asks the program to stop. Its end is reported to the course. */
  protected abstract cancel(session: Session): Promise<void>

  /** Ends what the program leaves running when it stops. */
  protected async cleanUp(_session: Session): Promise<void> {}
}

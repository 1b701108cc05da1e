import type { FilesClient } from "platform-embed-element/client";
import { type KeyboardEvent, type ReactNode, useId, useMemo, useState } from "react";
import type { ServerClock } from "../../../embed/frame/token-session";
import type { Folder } from "../browse/folder/use-folder";
import { Dialog } from "../screen/dialog";
import { useLanguage } from "../screen/language";
import { problemText } from "../screen/problem-details";
import { Calendar } from "./calendar";
import { addDays, addMonths, dayOf, monthOf } from "./calendar-days";
import { momentAt, type Period, periodsOf } from "./periods";
import { useChangeTimes } from "./use-change-times";

interface MomentDialogProps {
  clock: ServerClock;
  client: FilesClient;
  folder: Pick<Folder, "path" | "time">;
  name: string;
  /** @param moment RFC 3339 */
  onChoose(moment: string): void;
  onClose(): void;
}

/** Asks for a moment: a day, and one of its periods without a change, or an exact time. */
export function MomentDialog({ clock, client, folder, name, onChoose, onClose }: MomentDialogProps) {
  const { t, formats } = useLanguage();
  const [present] = useState(() => clock.now() * 1000);
  const today = dayOf(present);
  const [day, setDay] = useState(() =>
    folder.time.kind === "at" ? dayOf(Date.parse(folder.time.moment)) : today,
  );
  const [month, setMonth] = useState(() => monthOf(day));
  /** unix milliseconds; `exact`: by the time field; null: the first period */
  const [choice, setChoice] = useState<number | "exact" | null>(null);
  const [time, setTime] = useState("12:00");
  const { times, isLoading, problem, retry } = useChangeTimes(client, folder.path, {
    from: month,
    to: addMonths(month, 1),
  });
  const marked = useMemo(() => new Set(times.map(dayOf)), [times]);
  const isOfMonth = monthOf(day) === month;
  const periods = periodsOf(times, { start: day, end: addDays(day, 1) }, present);
  const first = periods[0]?.moment ?? present;
  const moment = choice === "exact" ? momentAt(day, time) : (choice ?? first);
  const isFuture = choice === "exact" && (time === "" || moment - 60_000 >= present);
  const needsTimes = choice === null && (isLoading || problem !== null);

  const mayShow = !isFuture && !needsTimes && isOfMonth;
  const show = () => {
    if (mayShow) onChoose(new Date(Math.min(moment, present)).toISOString());
  };
  /** As in a form, which a sandboxed frame may not submit. */
  const onKeyDown = ({ key, target }: KeyboardEvent) => {
    if (key === "Enter" && target instanceof HTMLInputElement) show();
  };
  return (
    <Dialog title={t("past.moment.title", { folder: name })} className="moment-dialog" onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Enter in its fields, as in a form */}
      <div className="moment" onKeyDown={onKeyDown}>
        <div>
          <Calendar
            month={month}
            onMonth={setMonth}
            chosen={day}
            onChoose={(chosen) => {
              setDay(chosen);
              setChoice(null);
            }}
            today={today}
            marked={marked}
          />
          <p className="dialog__hint" role="status">
            {problem === null && t(isLoading ? "past.moment.looking" : "past.moment.marked")}
          </p>
          {problem && (
            <p className="dialog__hint" role="alert">
              {t("past.moment.failed")} {problemText(t, problem)}{" "}
              <button type="button" className="link-button" onClick={retry}>
                {t("retry")}
              </button>
            </p>
          )}
        </div>
        {isOfMonth && (
          <fieldset className="moment__times">
            <legend>
              {t("past.moment.periods", { day: formats.longDate(new Date(day).toISOString()) })}
            </legend>
            <div className="moment__list">
              {!needsTimes &&
                periods.map((period) => (
                  <Choice
                    key={period.moment}
                    isChosen={choice !== "exact" && moment === period.moment}
                    onChoose={() => setChoice(period.moment)}
                  >
                    <PeriodName period={period} />
                  </Choice>
                ))}
            </div>
            <ExactTime
              time={time}
              isChosen={choice === "exact"}
              onChoose={() => setChoice("exact")}
              onTime={(chosen) => {
                setTime(chosen);
                setChoice("exact");
              }}
              problem={isFuture ? t("past.moment.future") : null}
            />
          </fieldset>
        )}
        <div className="dialog__buttons">
          <button type="button" className="button" onClick={onClose}>
            {t("changes.cancel")}
          </button>
          <button type="button" className="button button--primary" aria-disabled={!mayShow} onClick={show}>
            {t("past.moment.show")}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

interface ChoiceProps {
  isChosen: boolean;
  onChoose(): void;
  children: ReactNode;
}

function Choice({ isChosen, onChoose, children }: ChoiceProps) {
  return (
    <label className="moment__choice">
      <input type="radio" name="moment" checked={isChosen} onChange={onChoose} />
      <span>{children}</span>
    </label>
  );
}

function PeriodName({ period: { from, to } }: { period: Period }) {
  const { t, formats } = useLanguage();
  const timeOf = (minute: number) => formats.time(new Date(minute).toISOString());
  if (from !== null && to !== null) return t("past.moment.between", { from: timeOf(from), to: timeOf(to) });
  if (from !== null) return t("past.moment.since", { time: timeOf(from) });
  return to === null ? t("past.moment.allDay") : t("past.moment.until", { time: timeOf(to) });
}

interface ExactTimeProps {
  /** `10:02` */
  time: string;
  isChosen: boolean;
  onChoose(): void;
  onTime(time: string): void;
  problem: string | null;
}

function ExactTime({ time, isChosen, onChoose, onTime, problem }: ExactTimeProps) {
  const { t } = useLanguage();
  const id = useId();
  return (
    <div className="moment__exact">
      <Choice isChosen={isChosen} onChoose={onChoose}>
        {t("past.moment.exact")}
      </Choice>
      <input
        type="time"
        className="field"
        aria-label={t("past.moment.exact")}
        aria-describedby={id}
        value={time}
        onChange={({ target }) => onTime(target.value)}
      />
      <p id={id} className="dialog__hint" role="status">
        {problem}
      </p>
    </div>
  );
}

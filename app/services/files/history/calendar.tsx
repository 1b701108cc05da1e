// biome-ignore-all lint/a11y/useSemanticElements: a table with the keyboard of a grid, as the ARIA Authoring Practices describe
// biome-ignore-all lint/a11y/useFocusableInteractive: the buttons in the cells take the focus
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: as above
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { IconButton } from "../../../embed/components/icons";
import { sideways, useLanguage } from "../screen/language";
import { addMonths, dayForKey, firstWeekdayOf, monthOf, weeksOf } from "./calendar-days";

interface CalendarProps {
  /** days of this one's month are shown */
  month: number;
  onMonth(month: number): void;
  chosen: number;
  onChoose(day: number): void;
  /** later days cannot be chosen */
  today: number;
  /** days on which something changed */
  marked: ReadonlySet<number>;
}

/** A month's days, one of which can be chosen. https://www.w3.org/WAI/ARIA/apg/patterns/dialog-modal/examples/datepicker-dialog/ */
export function Calendar({ month, onMonth, chosen, onChoose, today, marked }: CalendarProps) {
  const { t } = useLanguage();
  const title = useId();
  const words = useCalendarWords();
  const { firstWeekday } = words;
  const table = useRef<HTMLTableElement>(null);
  /** the day in the tab order */
  const [active, setActive] = useState(chosen);
  const hasMoved = useRef(false);
  const weeks = weeksOf(month, firstWeekday);
  const here = monthOf(active) === month ? active : month;
  useEffect(() => {
    if (!hasMoved.current) return;
    hasMoved.current = false;
    table.current?.querySelector<HTMLElement>(`[data-day="${active}"]`)?.focus();
  }, [active]);

  const onKeyDown = (event: KeyboardEvent) => {
    const { down: forward } = sideways();
    const from = Number((event.target as HTMLElement).dataset.day);
    const target = dayForKey(event, from, { firstWeekday, forward: forward as "ArrowLeft" | "ArrowRight" });
    if (target === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const day = Math.min(target, today);
    hasMoved.current = true;
    setActive(day);
    if (monthOf(day) !== month) onMonth(monthOf(day));
  };
  return (
    <div className="calendar">
      <div className="calendar__head">
        <IconButton
          icon="chevron"
          className="calendar__previous"
          label={t("past.moment.previous")}
          onClick={() => onMonth(addMonths(month, -1))}
        />
        <h3 id={title} aria-live="polite">
          {words.month(month)}
        </h3>
        <IconButton
          icon="chevron"
          label={t("past.moment.next")}
          aria-disabled={month >= monthOf(today)}
          onClick={() => month < monthOf(today) && onMonth(addMonths(month, 1))}
        />
      </div>
      <table ref={table} role="grid" aria-labelledby={title} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {weeks[0]?.map((day) => (
              <th key={day} scope="col" abbr={words.longWeekday(day)}>
                {words.shortWeekday(day)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) =>
                monthOf(day) === month ? (
                  <td key={day} role="gridcell" aria-selected={day === chosen}>
                    <button
                      type="button"
                      className="calendar__day"
                      data-day={day}
                      data-changed={marked.has(day) || undefined}
                      tabIndex={day === here ? 0 : -1}
                      aria-label={
                        marked.has(day) ? t("past.moment.changed", { day: words.day(day) }) : words.day(day)
                      }
                      aria-current={day === today ? "date" : undefined}
                      aria-disabled={day > today}
                      onClick={() => {
                        if (day > today) return;
                        setActive(day);
                        onChoose(day);
                      }}
                    >
                      {words.number(day)}
                    </button>
                  </td>
                ) : (
                  <td key={day} role="gridcell" />
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Names of days and months, in the page's language and the Gregorian calendar, which the days are of. */
function useCalendarWords() {
  const { lang } = document.documentElement;
  return useMemo(() => {
    const formatter = (options: Intl.DateTimeFormatOptions) => {
      const format = new Intl.DateTimeFormat(lang, { calendar: "gregory", ...options });
      return (day: number) => format.format(day);
    };
    const numbers = new Intl.NumberFormat(lang);
    return {
      firstWeekday: firstWeekdayOf(lang),
      month: formatter({ month: "long", year: "numeric" }),
      day: formatter({ dateStyle: "full" }),
      longWeekday: formatter({ weekday: "long" }),
      // Short names are hardly shorter than long ones in Arabic and Hebrew.
      shortWeekday: formatter({ weekday: lang === "ar" || lang === "he" ? "narrow" : "short" }),
      number: (day: number) => numbers.format(new Date(day).getDate()),
    };
  }, [lang]);
}

function __airqa
    set -l at airqa
    set -l list
    set -l tokens (commandline -opc)
    set -l cur (commandline -ct)
    set -l prev $tokens[-1]
    set -l prefix ''
    for word in $tokens[2..]
        switch "$at $word"
@commands@
            case '*'
                continue
        end
        set at "$at $word"
    end
    if string match -q -- '--*=*' $cur
        set prev (string split -m 1 = -- $cur)[1]
        set prefix "$prev="
        set cur (string split -m 1 = -- $cur)[2]
    end
    switch "$at $prev"
@values@
        case '*'
            if string match -q -- '-*' $cur
                switch $at
@flags@
                end
            else
                switch $at
@words@
                end
            end
    end
    if test (count $list) -eq 0
        set list (__fish_complete_path $cur)
    end
    for word in $list
        echo $prefix$word
    end
end
complete -c airqa -f -a '(__airqa)'
